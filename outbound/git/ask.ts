import { exchange, type PublicAnswer, within } from '../exchange.ts';
import { OutboundFailed } from '../failures.ts';
import type { OutboundRules } from '../rules.ts';
import { addressesOf, checkTarget, type Resolve, resolveByDns } from '../target.ts';

/** The rules of addresses, and what bounds a question. */
export interface GitRules extends OutboundRules {
  resolve?: Resolve;
  /** For one question with its redirects; 20 s by default. */
  timeoutMillis?: number;
}

export interface GitQuestion {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent to the host that was asked, and not to another one that a redirect names. */
  secretHeaders?: Readonly<Record<string, string>>;
  body?: Buffer;
  maxBytes: number;
}

const mostRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Asks a host of repositories. A question that only reads follows a few redirects, as hosts answer them for renamed
 * repositories; the rules hold for each address anew, and from https none leads to plain http.
 */
export async function askGitHost(address: string, question: GitQuestion, rules: GitRules): Promise<PublicAnswer> {
  const first = checkTarget(address, rules);
  return await within(first, rules.timeoutMillis ?? 20_000, (signal) => followed(first, question, rules, signal));
}

/** The same as one of several questions that are bounded together. */
export async function followed(
  first: URL,
  { method = 'GET', headers = {}, secretHeaders = {}, body, maxBytes }: GitQuestion,
  { resolve = resolveByDns, ...rules }: GitRules,
  signal: AbortSignal,
): Promise<PublicAnswer> {
  let url = first;
  for (let redirected = 0; ; redirected += 1) {
    const own = url.origin === first.origin ? secretHeaders : {};
    const length = body === undefined ? {} : { 'content-length': body.length };
    const sent = { method, headers: { ...headers, ...own, ...length }, rules, maxBytes };
    const addresses = await addressesOf(url, rules, resolve);
    const answer = await exchange(url, addresses, { ...sent, ...(body === undefined ? {} : { body }) }, signal);
    if (!redirects.has(answer.status) || method !== 'GET') return answer;
    if (redirected === mostRedirects)
      throw new OutboundFailed(`${first.host} redirects more than ${mostRedirects} times.`);
    url = leadsTo(url, answer.headers.location, rules);
  }
}

function leadsTo(from: URL, location: string | undefined, rules: OutboundRules): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new OutboundFailed(`${from.host} answered with a redirect that leads nowhere.`);
  }
  const url = checkTarget(new URL(location, from.href).href, rules);
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    throw new OutboundFailed(`${from.host} redirects to plain http, which is not followed.`);
  }
  return url;
}
