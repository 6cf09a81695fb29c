/** Somebody pressed Ctrl-C. The message says what that leaves. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The exit code of a command that Ctrl-C has ended, as shells know it. */
export const interruptedCode = 130;

/** Aborted when the reader of the standard output has gone (`./ballast cluster logs shop -f | head`). */
export const readerGone = new AbortController();

/** The signal of a command that runs until Ctrl-C, or until nobody reads it any more. */
export function untilInterrupted(): { stop: AbortController; signal: AbortSignal } {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  return { stop, signal: AbortSignal.any([stop.signal, readerGone.signal]) };
}

/** The exit code of programs that a reader left, as shells know it. */
export function tellReaderGone(): void {
  if (readerGone.signal.aborted) process.exitCode = 141;
}
