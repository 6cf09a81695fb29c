import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Check, Process } from '../../../protocol/workload.ts';
import type { Driver } from '../../drivers/driver.ts';

export interface Probed {
  id: string;
  process: Process;
  address?: { host: string; port: number } | undefined;
}

/** Asks once. Undefined if it is well, else a sentence that says what was wrong with the answer. */
export async function probe(driver: Driver, check: Check, probed: Probed, closing: AbortSignal) {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(check.timeoutSeconds * 1000)]);
  try {
    return await ask(driver, check, probed, signal);
  } catch (error) {
    if (signal.aborted) return `no answer to ${nameOf(check)} within ${check.timeoutSeconds} s.`;
    return `${nameOf(check)} failed: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

async function ask(driver: Driver, check: Check, { id, process, address }: Probed, signal: AbortSignal) {
  if (check.kind === 'command') {
    const { code } = await driver.exec(id, check.command, { output: () => {}, signal });
    return code === 0 ? undefined : `${nameOf(check)} ended with exit code ${code}.`;
  }
  if (address === undefined) return 'it listens nowhere yet.';
  if (check.kind === 'tcp') return opens(address, signal);
  const status = await (process.upstream === 'h2c' ? statusOverHttp2 : statusOverHttp1)(address, check.path, signal);
  return status >= 200 && status < 400 ? undefined : `${nameOf(check)} was answered with ${status}.`;
}

function nameOf(check: Check): string {
  if (check.kind === 'http') return `GET ${check.path}`;
  return check.kind === 'tcp' ? 'a connection' : `the command ${check.command[0]}`;
}

function opens({ host, port }: { host: string; port: number }, signal: AbortSignal): Promise<undefined> {
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

function statusOverHttp1({ host, port }: { host: string; port: number }, path: string, signal: AbortSignal) {
  return new Promise<number>((resolve, reject) => {
    const headers = { 'user-agent': 'ballast-agent', connection: 'close' };
    const asked = request({ host, port, path, signal, headers, agent: false, maxHeaderSize: 65_536 }, (answer) => {
      resolve(answer.statusCode ?? 0);
      // Only the status counts, however long the body is.
      asked.destroy();
    });
    asked.on('error', reject);
    asked.end();
  });
}

function statusOverHttp2({ host, port }: { host: string; port: number }, path: string, signal: AbortSignal) {
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
