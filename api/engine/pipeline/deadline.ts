import { Problem } from '../../../domain/problems.ts';
import { timeout } from '../problems/failure.ts';

/** A wait in a queue takes none of the time that a request has, up to so many times that time since it came. */
const longestTimes = 3;

/** A signal that is aborted when the time is up; `gone` aborts it because the client has left. */
export interface Deadline {
  signal: AbortSignal;
  /** The request waits for its turn among others. */
  hold(): void;
  /** Its work begins: it has all of its time. */
  restart(): void;
  gone(): void;
  clear(): void;
}

export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const end = performance.now() + longestTimes * milliseconds;
  let timer: NodeJS.Timeout | undefined;
  const within = (most: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(timeout()), Math.max(0, Math.min(most, end - performance.now())));
  };
  within(milliseconds);
  return {
    signal: controller.signal,
    hold: () => within(Number.POSITIVE_INFINITY),
    restart: () => within(milliseconds),
    gone: () => controller.abort(clientGone()),
    clear: () => clearTimeout(timer),
  };
}

export function clientGone(): Problem {
  return new Problem('client-closed-request', 'The client closed the connection before the request was finished.');
}

/** The result of the work, or the signal's reason if that comes first. Only for work that changes nothing. */
export function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
