import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { until } from '../ground/until.ts';

/** A command that a test goes on with while it runs. */
export interface BegunCommand {
  child: ChildProcessWithoutNullStreams;
  /** So far. */
  said: { out: string; err: string };
  /** The exit code. */
  ended: Promise<number | null>;
  /** Waits until this stands in its standard error. */
  says(text: string): Promise<unknown>;
}

export function begunCommand(child: ChildProcessWithoutNullStreams): BegunCommand {
  child.stdin.end();
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const says = (text: string) => until(`it says "${text}"`, async (see) => see(said.err).includes(text), 60);
  return { child, said, ended, says };
}
