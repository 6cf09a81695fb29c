import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { certificateFault } from './certificate.ts';
import { OutboundFailed } from './failures.ts';
import { pinned } from './pinned.ts';
import { type OutboundRules, trustOf } from './rules.ts';
import type { ResolvedAddress } from './target.ts';

/** A request that is sent as it is, to an address that was checked. */
export interface Sent {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Readonly<Record<string, string | number>>;
  body?: Buffer;
  rules: OutboundRules;
  maxBytes: number;
  /** Told the answer as far as it has come, as soon as there is a status. */
  onAnswer?: (answer: () => PublicAnswer) => void;
}

export interface PublicAnswer {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Bounds the whole of a question, whatever it waits for; the signal ends what is still open then. */
export async function within<T>(
  url: URL,
  timeoutMillis: number,
  question: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new OutboundFailed(`${url.host} did not answer within ${timeoutMillis / 1000} s.`));
      stopping.abort();
    }, timeoutMillis);
  });
  try {
    return await Promise.race([question(stopping.signal), late]);
  } finally {
    clearTimeout(timer);
    stopping.abort();
  }
}

/** Asks over a connection of its own, which goes to these addresses and no other, while TLS verifies the name. */
export function exchange(
  url: URL,
  addresses: ResolvedAddress[],
  { method, headers, body, rules, ...reading }: Sent,
  signal: AbortSignal,
): Promise<PublicAnswer> {
  signal.throwIfAborted();
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = {
    ...trustOf(rules),
    method,
    // A new connection: a kept-alive one for the name would outlive the check of its address.
    agent: false,
    lookup: pinned(addresses),
    signal,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'ballast', ...headers },
  };
  return new Promise<PublicAnswer>((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      read(url, answer, { method, ...reading }).then(resolve, (error: unknown) => {
        reject(error);
        sent.destroy();
      });
    });
    sent.on('error', (error) => {
      void reasonInWords(url, addresses, reason(error), rules).then((why) =>
        reject(new OutboundFailed(`${url.host} could not be reached: ${why}.`)),
      );
    });
    sent.end(body);
  });
}

async function read(
  url: URL,
  answer: IncomingMessage,
  { maxBytes, method, onAnswer }: Pick<Sent, 'maxBytes' | 'method' | 'onAnswer'>,
): Promise<PublicAnswer> {
  const chunks: Buffer[] = [];
  const soFar = (): PublicAnswer => ({
    url,
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(chunks),
  });
  onAnswer?.(soFar);
  const tooLarge = () => new OutboundFailed(`${url.host} answered more than ${maxBytes} bytes, which is too much.`);
  const told = method === 'HEAD' ? 0 : Number(answer.headers['content-length'] ?? 0);
  if (told > maxBytes) throw tooLarge();
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const piece: Buffer = chunk;
      chunks.push(piece.subarray(0, maxBytes - bytes));
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge();
    }
  } catch (error) {
    if (error instanceof OutboundFailed) throw error;
    throw new OutboundFailed(`${url.host} broke off its answer; try again.`);
  }
  return soFar();
}

/** Codes of TLS by which Node refuses a certificate. */
const ofCertificates =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED)/;

/** The code of a failed connection, or why the certificate of that host is refused. */
export async function reasonInWords(url: URL, addresses: ResolvedAddress[], code: string, rules: OutboundRules) {
  return ofCertificates.test(code) ? ((await certificateFault(url, addresses, rules)) ?? code) : code;
}

/** The code of the failure and no more: messages of the network name addresses that were resolved. */
export function reason(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'the connection failed';
}
