import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { z } from 'zod';
import type { buildSchema } from '../../api/builds/build.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { LostConnection, type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Build = z.output<typeof buildSchema>;

const againMillis = 500;

/**
 * Prints the log of a build on the standard error, until it is over. A connection that is lost, or a control plane that is away,
 * is waited for: the build continues, and its log is read on behind the last line.
 */
export async function followBuild(rest: Rest, id: string, signal: AbortSignal, quiet: boolean): Promise<Build> {
  const asked = rest.until(signal);
  let last = 0;
  let waits = '';
  for (;;) {
    try {
      for await (const { event, data } of rest.events(`/builds/${id}/logs/stream?after=${last}`, signal)) {
        if (event !== 'log') continue;
        last = Number(data.seq);
        if (!quiet) process.stderr.write(`  ${plain(String(data.text))}\n`);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof LostConnection || isAway(error))) throw error;
    }
    // The stream of one that is queued is open all the time; what it waits for is asked for beside it when that ends.
    const build = await asked.call<Build>('GET', `/builds/${id}`);
    if (isBuildFinal(build.status)) return build;
    if (build.blocker !== '' && build.blocker !== waits && !quiet)
      process.stderr.write(`  ${printable(build.blocker)}\n`);
    waits = build.blocker;
    await pause(againMillis, undefined, { signal });
  }
}

/** Programs colour what they print; a terminal is given no sequence of theirs. */
function plain(line: string): string {
  return printable(stripVTControlCharacters(line));
}

function isAway(error: unknown): boolean {
  return error instanceof RestRefusal && error.status === 0;
}
