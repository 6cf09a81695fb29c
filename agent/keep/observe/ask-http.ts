import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { mostOfBody } from '../../../domain/deployments/answer-faults.ts';

export interface Place {
  host: string;
  port: number;
}

export interface Answer {
  status: number;
  location?: string | undefined;
  /** The beginning of the body where a status is one by which frameworks refuse a host, otherwise empty. */
  body: string;
}

/** Statuses of which the body may say which setting does not fit. */
const readStatuses: readonly number[] = [200, 400, 403];

/** Asks once by HTTP/1.1. A body is read as far as it is looked at, and as far as it came in time. */
export function askHttp1(
  { host, port }: Place,
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

export function statusOverHttp2({ host, port }: Place, path: string, signal: AbortSignal) {
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
