/** Somebody pressed Ctrl-C. The message says what that leaves. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The exit code of a command that Ctrl-C has ended, as shells know it. */
export const interruptedCode = 130;

/** Aborted when the reader of the standard output has gone (`./ballast cluster logs shop -f | head`). */
export const readerGone = new AbortController();
