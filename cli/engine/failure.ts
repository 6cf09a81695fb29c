import { UsageError } from './command.ts';
import { Interrupted, interruptedCode } from './interrupted.ts';

/** Tells what went wrong in one sentence and answers the exit code. Stack traces are for BALLAST_DEBUG=1 alone. */
export function tellFailure(error: unknown, spoken = (text: string): string => text): number {
  const debug = process.env.BALLAST_DEBUG === '1';
  process.stderr.write(`ballast: ${debug && error instanceof Error ? error.stack : spoken(sentenceOf(error))}\n`);
  if (error instanceof Interrupted) return interruptedCode;
  return error instanceof UsageError ? 2 : 1;
}

export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses of one host were tried; any of the failures tells the same.
  if (error instanceof AggregateError && error.errors.length > 0) return sentenceOf(error.errors[0]);
  return foreseen.has(error.name) ? error.message : `${error.message} (BALLAST_DEBUG=1 shows where this comes from)`;
}

/** The same for another process, which adds to what was not foreseen how it is looked into. */
export function foreseenSentence(error: unknown): { sentence: string; foreseen: boolean } {
  if (error instanceof AggregateError && error.errors.length > 0) return foreseenSentence(error.errors[0]);
  if (!(error instanceof Error)) return { sentence: String(error), foreseen: false };
  const debug = process.env.BALLAST_DEBUG === '1';
  return { sentence: debug ? (error.stack ?? error.message) : error.message, foreseen: foreseen.has(error.name) };
}

/** Errors whose message was written for people. By name: their classes live in rooms that not every command loads. */
const foreseen = new Set(['Refusal', 'SettingsError', 'UsageError', 'Interrupted', 'Problem', 'NamespaceNotReady']);
