import type { Frame } from './frames.ts';

/**
 * An operation's events, with a heartbeat whenever the interval passes, until the events or the signal end it. The
 * next event is asked for only when the one before was taken, so a slow reader slows nothing but itself. The first frame
 * says that the stream is open: whatever happens after it is not missed.
 */
export async function* merged(
  events: AsyncGenerator<Frame, void, undefined>,
  heartbeatMillis: number,
  signal: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  let wake: () => void = () => {};
  let arrived: IteratorResult<Frame, void> | undefined;
  let failure: { error: unknown } | undefined;
  let beat = false;
  const ask = () => {
    events.next().then(
      (result) => {
        arrived = result;
        wake();
      },
      (error: unknown) => {
        failure = { error };
        wake();
      },
    );
  };
  const timer = setInterval(() => {
    beat = true;
    wake();
  }, heartbeatMillis);
  const stop = () => {
    clearInterval(timer);
    wake();
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    ask();
    yield { comment: 'open' };
    while (!signal.aborted) {
      if (failure !== undefined) throw failure.error;
      if (arrived !== undefined) {
        if (arrived.done) return;
        const frame = arrived.value;
        arrived = undefined;
        ask();
        yield frame;
      } else if (beat) {
        beat = false;
        yield { comment: 'heartbeat' };
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    // Not awaited: an event that is still being made ends with the signal, and nobody is left to hear of it.
    events.return().catch(() => {});
  }
}
