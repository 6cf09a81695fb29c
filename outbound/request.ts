import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OutboundFailed } from './failures.ts';
import { addressesOf, checkTarget, type Resolve, type ResolvedAddress, resolveByDns } from './target.ts';

export interface FetchOptions {
  /** Private ranges that may be reached all the same: `OUTBOUND_ALLOWED_RANGES`. */
  allowedRanges: readonly string[];
  maxBytes: number;
  /** For all of it: name, connection, answer. */
  timeoutMillis: number;
  accept?: string;
  method?: 'GET' | 'HEAD';
  authorization?: string | undefined;
  resolve?: Resolve;
}

/**
 * Gets what is at an address that a user gave. The name is resolved once, every address is checked, and the connection
 * goes to those addresses and no other, while TLS still verifies the name. No redirect is followed, no cookie, proxy or
 * connection of another request is used. Throws `OutboundRefused` or `OutboundFailed`.
 */
export async function fetchPublic(address: string, options: FetchOptions): Promise<Buffer> {
  const { url, status, body } = await askPublic(address, options);
  if (status >= 300 && status < 400) {
    throw new OutboundFailed(
      `${url.host} answered with a redirect, which is not followed; give the address it leads to.`,
    );
  }
  if (status !== 200) throw new OutboundFailed(`${url.host} answered ${status} instead of 200.`);
  return body;
}

export interface PublicAnswer {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The same with the answer as it is, whatever its status: for a protocol in which that says something. */
export async function askPublic(address: string, options: FetchOptions): Promise<PublicAnswer> {
  const { allowedRanges, timeoutMillis, resolve = resolveByDns } = options;
  const url = checkTarget(address, allowedRanges);
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new OutboundFailed(`${url.host} did not answer within ${timeoutMillis / 1000} s.`));
      stopping.abort();
    }, timeoutMillis);
  });
  const answered = addressesOf(url, allowedRanges, resolve).then((addresses) => {
    stopping.signal.throwIfAborted();
    return ask(url, addresses, options, stopping.signal);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
    stopping.abort();
  }
}

function ask(
  url: URL,
  addresses: ResolvedAddress[],
  options: FetchOptions,
  signal: AbortSignal,
): Promise<PublicAnswer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<PublicAnswer>((resolve, reject) => {
    const sent = request(url, requestOptions(addresses, options, signal), (answer) => {
      read(url, answer, options).then(resolve, (error: unknown) => {
        reject(error);
        sent.destroy();
      });
    });
    sent.on('error', (error) => reject(new OutboundFailed(`${url.host} could not be reached: ${reason(error)}.`)));
    sent.end();
  });
}

function requestOptions(
  addresses: ResolvedAddress[],
  { accept, authorization, method = 'GET' }: FetchOptions,
  signal: AbortSignal,
): RequestOptions {
  return {
    method,
    // A new connection: a kept-alive one for the name would outlive the check of its address.
    agent: false,
    lookup: pinned(addresses),
    signal,
    headers: {
      accept: accept ?? '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'ballast',
      ...(authorization === undefined ? {} : { authorization }),
    },
  };
}

/** Answers the connection's question for the name with what was checked, whatever the name means by now. */
function pinned(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, addresses);
    else answer(null, first?.address ?? '', first?.family);
  };
}

async function read(url: URL, answer: IncomingMessage, { maxBytes, method }: FetchOptions): Promise<PublicAnswer> {
  const status = answer.statusCode ?? 0;
  const tooLarge = () => new OutboundFailed(`${url.host} answered more than ${maxBytes} bytes, which is too much.`);
  const told = method === 'HEAD' ? 0 : Number(answer.headers['content-length'] ?? 0);
  if (told > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const piece: Buffer = chunk;
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge();
      chunks.push(piece);
    }
  } catch (error) {
    if (error instanceof OutboundFailed) throw error;
    throw new OutboundFailed(`${url.host} broke off its answer; try again.`);
  }
  return { url, status, headers: answer.headers, body: Buffer.concat(chunks) };
}

/** The code of the failure and no more: messages of the network name addresses that were resolved. */
function reason(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'the connection failed';
}
