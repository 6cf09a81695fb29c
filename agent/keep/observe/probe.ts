import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import {
  type AnswerFault,
  answerSentence,
  hostCheckOf,
  mostOfBody,
} from '../../../domain/deployments/answer-faults.ts';
import type { Check, Process } from '../../../protocol/workload.ts';
import type { Driver } from '../../drivers/driver.ts';

export interface ProbeAddress {
  host: string;
  port: number;
}

interface Answer {
  status: number;
  location?: string | undefined;
  /** The beginning of the body where a status is one by which frameworks refuse a host, otherwise empty. */
  body: string;
}

/** Statuses of which the body may say which setting does not fit. */
const readStatuses: readonly number[] = [200, 400, 403];

/** Asks once by HTTP/1.1. A body is read as far as it is looked at, and as far as it came in time. */
export function askHttp1(
  { host, port }: ProbeAddress,
  path: string,
  signal: AbortSignal,
  { headers = {}, read = readStatuses }: { headers?: Readonly<Record<string, string>>; read?: readonly number[] } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { 'user-agent': 'ballast-agent', connection: 'close', ...headers };
    const asked = request({ host, port, path, signal, headers: all, agent: false, maxHeaderSize: 65_536 }, (answer) => {
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      let body = '';
      const end = () => {
        resolve({ status, location, body });
        asked.destroy();
      };
      if (!read.includes(status)) return end();
      answer.setEncoding('latin1').on('data', (text: string) => {
        body = `${body}${text}`.slice(0, mostOfBody);
        if (body.length === mostOfBody) end();
      });
      answer.on('end', end).on('error', end);
    });
    asked.on('error', reject);
    asked.end();
  });
}

function statusOverHttp2({ host, port }: ProbeAddress, path: string, signal: AbortSignal) {
  return new Promise<number>((resolve, reject) => {
    const session = connectHttp2(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    const give = () => session.destroy(new Error('it took too long'));
    signal.addEventListener('abort', give, { once: true });
    session.once('error', reject);
    session.once('close', () => {
      signal.removeEventListener('abort', give);
      reject(new Error('the connection was closed'));
    });
    const stream = session.request({ ':path': path, 'user-agent': 'ballast-agent' });
    stream.once('response', (headers) => {
      resolve(headers[':status'] ?? 0);
      session.destroy();
    });
    stream.once('error', reject);
    stream.end();
  });
}

export interface Probed {
  id: string;
  process: Process;
  address?: ProbeAddress | undefined;
  /** A host name that leads to its process. */
  host?: string | undefined;
}

interface Wrong {
  /** A sentence that says what was wrong with the answer. */
  text: string;
  /** No connection was opened, or nothing came of it. */
  unanswered?: true;
  answer?: AnswerFault;
}

/** A check, or whether it gives any answer by HTTP at all. */
export type Probe = Check | { kind: 'answer'; timeoutSeconds: number };

/** Asks once. Undefined if it is well. */
export async function probe(
  driver: Driver,
  check: Probe,
  probed: Probed,
  closing: AbortSignal,
): Promise<Wrong | undefined> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(check.timeoutSeconds * 1000)]);
  try {
    return await ask(driver, check, probed, signal);
  } catch (error) {
    const failed = `${nameOf(check)} failed: ${error instanceof Error ? error.message : String(error)}.`;
    const text = signal.aborted ? `no answer to ${nameOf(check)} within ${check.timeoutSeconds} s.` : failed;
    if (check.kind === 'command') return { text };
    if (check.kind !== 'answer') return { text, unanswered: true };
    // Without its time, which grows: people read each sentence once.
    const why = signal.aborted ? 'gives no answer to GET /.' : failed;
    return { text: `it accepts connections, but ${why} If it speaks something else than HTTP, its kind is tcp.` };
  }
}

async function ask(driver: Driver, check: Probe, probed: Probed, signal: AbortSignal): Promise<Wrong | undefined> {
  const { id, process, address } = probed;
  if (check.kind === 'command') {
    const { code } = await driver.exec(id, check.command, { output: () => {}, signal });
    return code === 0 ? undefined : { text: `${nameOf(check)} ended with exit code ${code}.` };
  }
  if (address === undefined) return { text: 'it listens nowhere yet.' };
  if (check.kind === 'tcp') return opens(address, signal);
  if (check.kind === 'answer') return await answers(address, process, signal);
  if (process.upstream !== 'h2c') return await askOverHttp1(check.path, address, probed.host, signal);
  const status = await statusOverHttp2(address, check.path, signal);
  return isWell(status) ? undefined : { text: answeredWith(check.path, status) };
}

/** Whatever the answer is, in whatever protocol: only its own check knows which one is well. */
async function answers(address: ProbeAddress, process: Process, signal: AbortSignal): Promise<undefined> {
  if (process.upstream === 'h2c') return void (await statusOverHttp2(address, '/', signal));
  await askHttp1(address, '/', signal, { read: [] }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_'))) throw error;
  });
}

/** Only failures are read: of the others the status counts, however long the body is. */
const read = [400, 403];

async function askOverHttp1(path: string, address: ProbeAddress, host: string | undefined, signal: AbortSignal) {
  const first = await askHttp1(address, path, signal, { read });
  if (isWell(first.status)) return undefined;
  // A program that checks host names knows those that visitors ask for, and not the address of this instance.
  const again = host !== undefined && hostCheckOf(first.status, first.body) !== undefined;
  const answer = again ? await askHttp1(address, path, signal, { read, headers: { host } }) : first;
  if (isWell(answer.status)) return undefined;
  const fault = await faultOf(answer, { path, address, host: again ? host : address.host }, signal);
  const text = answeredWith(path, answer.status);
  return fault === undefined ? { text } : { text: `${text} ${answerSentence(fault)}`, answer: fault };
}

async function faultOf(
  { status, body }: Answer,
  { path, address, host }: { path: string; address: ProbeAddress; host: string },
  signal: AbortSignal,
): Promise<AnswerFault | undefined> {
  const by = hostCheckOf(status, body);
  if (by !== undefined) return { kind: 'host', status, path, host, by };
  if (status !== 404 || path === '/') return undefined;
  const root = await askHttp1(address, '/', signal, { read }).catch(() => undefined);
  if (root === undefined || !isWell(root.status)) return undefined;
  return { kind: 'path', status, path, host, rootStatus: root.status };
}

function isWell(status: number): boolean {
  return status >= 200 && status < 400;
}

function answeredWith(path: string, status: number): string {
  return `GET ${path} was answered with ${status}.`;
}

function nameOf(check: Probe): string {
  if (check.kind === 'http') return `GET ${check.path}`;
  if (check.kind === 'answer') return 'GET /';
  return check.kind === 'tcp' ? 'a connection' : `the command ${check.command[0]}`;
}

function opens({ host, port }: ProbeAddress, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const give = () => socket.destroy(new Error('it took too long'));
    signal.addEventListener('abort', give, { once: true });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', give));
  });
}
