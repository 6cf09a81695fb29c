import { exchange, type PublicAnswer, reason, within } from './exchange.ts';
import { OutboundFailed, OutboundRefused } from './failures.ts';
import type { OutboundRules } from './rules.ts';
import {
  addressesOf,
  checkHttpsTarget,
  checkTarget,
  type Resolve,
  reachableAddressesOf,
  resolveByDns,
} from './target.ts';

export type { PublicAnswer } from './exchange.ts';

interface Bounds extends OutboundRules {
  maxBytes: number;
  /** For all of it: name, connection, answer. */
  timeoutMillis: number;
  resolve?: Resolve;
}

export interface FetchOptions extends Bounds {
  accept?: string;
  method?: 'GET' | 'HEAD';
  authorization?: string | undefined;
}

export interface PostOptions extends Bounds {
  /** The body. */
  json: unknown;
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

/** The same with the answer as it is, whatever its status: for a protocol in which that says something. */
export async function askPublic(address: string, options: FetchOptions): Promise<PublicAnswer> {
  const { timeoutMillis, maxBytes, resolve = resolveByDns, method = 'GET' } = options;
  const { accept = '*/*', authorization } = options;
  const url = checkTarget(address, options);
  const headers = { accept, ...(authorization === undefined ? {} : { authorization }) };
  return await within(url, timeoutMillis, async (signal) => {
    const addresses = await addressesOf(url, options, resolve);
    return await exchange(url, addresses, { method, headers, rules: options, maxBytes }, signal);
  });
}

/**
 * Sends a body to an address that a user gave, by https, under the same rules but one: a host with public and private
 * addresses is reached at its public ones. The status counts: once it is there, an answer that is too long, slow or broken
 * off is as good as a whole one, and the rest of it is not read. Throws `OutboundRefused` or `OutboundFailed`.
 */
export async function postPublic(address: string, options: PostOptions): Promise<PublicAnswer> {
  const { timeoutMillis, maxBytes, json, resolve = resolveByDns } = options;
  const url = checkHttpsTarget(address, options);
  const body = Buffer.from(JSON.stringify(json));
  const headers = { accept: '*/*', 'content-type': 'application/json', 'content-length': body.length };
  let begun: (() => PublicAnswer) | undefined;
  const onAnswer = (soFar: () => PublicAnswer): void => {
    begun = soFar;
  };
  try {
    return await within(url, timeoutMillis, async (signal) => {
      const addresses = await reachableAddressesOf(url, options, resolve);
      return await exchange(
        url,
        addresses,
        { method: 'POST', headers, body, rules: options, maxBytes, onAnswer },
        signal,
      );
    });
  } catch (error) {
    if (begun !== undefined) return begun();
    if (error instanceof OutboundFailed || error instanceof OutboundRefused) throw error;
    // Errors of other makers may repeat the address, and with it the secret of a channel.
    throw new OutboundFailed(`${url.host} could not be reached: ${reason(error)}.`);
  }
}
