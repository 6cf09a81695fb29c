import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../caller.ts';
import type { RateState } from '../limits/rate-state.ts';
import type { Deadline } from '../pipeline/deadline.ts';
import type { NamedOperation } from '../registry.ts';

/** A request as the pipeline sees it, whatever the transport. */
export interface Incoming {
  requestId: string;
  /** Where the client is, proxies that are trusted left aside. */
  address: string;
  method: string;
  headers: IncomingHttpHeaders;
  /** Aborted with a Problem: the time is up, or the client has gone. */
  signal: AbortSignal;
  /** Of that time. */
  time: Pick<Deadline, 'hold' | 'restart'>;
  named: NamedOperation;
  caller: Caller | undefined;
  /** The limits of this request and how much of them is left. */
  rate: RateState | undefined;
  /** `Set-Cookie` headers for the answer. */
  setCookies: string[];
}
