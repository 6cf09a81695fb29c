import { printable } from '../engine/table.ts';

/** Only the command goes to the standard output, so that it can be sent on to the machine. */
export function tellToken(made: { installCommand: string; expiresAt: string }, said: string): void {
  process.stderr.write(`${printable(said)} Run this on the machine, before ${made.expiresAt}:\n`);
  process.stdout.write(`${made.installCommand}\n`);
}
