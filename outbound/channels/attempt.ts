import type { IncomingHttpHeaders } from 'node:http';
import { OutboundFailed, OutboundRefused } from '../failures.ts';
import { postPublic } from '../request.ts';
import type { OutboundRules } from '../rules.ts';
import type { Resolve } from '../target.ts';
import { retryAfterOf } from './retry-after.ts';

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
