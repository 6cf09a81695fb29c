/**
 * A failure that was foreseen: the message is one sentence for people that says what is wrong and what to do. It ends the
 * command with exit code 1 and no stack trace.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** `EACCES` and the like, of an error of the operating system. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
