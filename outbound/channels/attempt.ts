import type { IncomingHttpHeaders } from 'node:http';
import { OutboundFailed, OutboundRefused } from '../failures.ts';
import { postPublic } from '../request.ts';
import type { OutboundRules } from '../rules.ts';
import type { Resolve } from '../target.ts';

/** How an attempt ended. An error is a sentence that people may read: it has no secret and nothing that the other side wrote. */
export type AttemptAnswer =
  | { outcome: 'delivered' }
  | { outcome: 'retry'; error: string; retryAfterSeconds?: number }
  | { outcome: 'ended'; error: string };

export interface AttemptOptions {
  rules: OutboundRules;
  resolve?: Resolve | undefined;
  /** For all of it; shortened by tests. */
  timeoutMillis?: number;
}

const longestMillis = 10_000;
/** Of an answer the status counts. */
const mostBytes = 4_096;

/** Sends a message once. Answers how that ended, also when nothing could be sent. */
export async function attempt(
  address: string,
  json: unknown,
  { rules, resolve, timeoutMillis = longestMillis }: AttemptOptions,
): Promise<AttemptAnswer> {
  try {
    const limits = { ...rules, maxBytes: mostBytes, timeoutMillis, ...(resolve === undefined ? {} : { resolve }) };
    const { url, status, headers } = await postPublic(address, { ...limits, json });
    return judged(url.host, status, headers);
  } catch (error) {
    // An address that is refused now may be another one tomorrow, and is refused on every delivery until then.
    if (error instanceof OutboundFailed || error instanceof OutboundRefused) {
      return { outcome: 'retry', error: error.message };
    }
    throw error;
  }
}

function judged(host: string, status: number, headers: IncomingHttpHeaders): AttemptAnswer {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    return {
      outcome: 'ended',
      error: `${host} answered ${status}, which ends the delivery; check the channel's secret.`,
    };
  }
  const error =
    status >= 300 && status < 400
      ? `${host} answered with a redirect (${status}), which is not followed.`
      : `${host} answered ${status}.`;
  const retryAfterSeconds = retryAfterOf(headers);
  return { outcome: 'retry', error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

const longest = 86_400;
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/** In how many seconds the other side wants to be asked again, if it says so in a way that can be understood; a day at most. */
export function retryAfterOf({ 'retry-after': said }: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const seconds = said === undefined ? Number.NaN : secondsIn(said.trim(), now);
  return seconds >= 0 ? Math.min(seconds, longest) : undefined;
}

function secondsIn(said: string, now: number): number {
  if (/^\d+$/.test(said)) return Number(said);
  // Date.parse understands much that is no date of HTTP: Dec 2030 is a day, and -1 one in 2001.
  if (!httpDate.test(said)) return Number.NaN;
  return Math.ceil((Date.parse(said.endsWith('GMT') ? said : `${said} GMT`) - now) / 1000);
}
