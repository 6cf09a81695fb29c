/** Somebody pressed Ctrl-C. The message says what that leaves. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The exit code of a command that Ctrl-C has ended, as shells know it. */
export const interruptedCode = 130;
