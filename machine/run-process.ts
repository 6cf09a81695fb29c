import { fullDisk } from './full-disk.ts';
import { collectWhenIdle } from './idle-collection.ts';
import { writeLine } from './line-output.ts';

type Foreseen = abstract new (...given: never[]) => Error;

interface Framed {
  /** Ends when the signal says so; throws when it cannot do its work. */
  work: (signal: AbortSignal) => Promise<void>;
  /** Errors that people can mend: their message says how, and no stack is printed. */
  foreseen: readonly Foreseen[];
  /** A process that is asked to end and has not ended by then is ended, in milliseconds. */
  longestShutdown: number;
}

/** A program from its first line to its exit code: 0 when it is asked to end, 1 and a sentence when it cannot work. */
export async function runProcess({ work, foreseen, longestShutdown }: Framed): Promise<never> {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    setTimeout(() => process.exit(0), longestShutdown).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  collectWhenIdle();
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) {
      process.exitCode = 1;
      writeLine(sentenceOf(error, foreseen));
    }
  }
  // Native libraries may hold the process open.
  process.exit();
}

function sentenceOf(error: unknown, foreseen: readonly Foreseen[]): string {
  if (!(error instanceof Error)) return String(error);
  const full = fullDisk(error);
  if (full !== undefined) return full.sentence;
  return foreseen.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
