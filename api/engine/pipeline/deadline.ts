import { Problem } from '../../../domain/problems.ts';
import { timeout } from '../problems/failure.ts';

/** A signal that is aborted when the time is up; `gone` aborts it because the client has left. */
export interface Deadline {
  signal: AbortSignal;
  gone(): void;
  clear(): void;
}

export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timeout()), milliseconds);
  return {
    signal: controller.signal,
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
