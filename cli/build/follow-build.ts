import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { z } from 'zod';
import type { buildSchema } from '../../api/builds/build.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { Events } from '../engine/progress.ts';
import { LostConnection, type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Build = z.output<typeof buildSchema>;

const againMillis = 500;
const watchMillis = 2_000;

/**
 * Follows a build and its log until it is over, and says what it waits for. A connection that is lost, or a control plane that is
 * away, is waited for: the build continues, and its log is read on behind the last line. `json`: its states and waits are told in
 * lines of JSON. `log`: takes each line. `found`: called once its source was looked at.
 */
export async function followBuild(
  rest: Rest,
  id: string,
  signal: AbortSignal,
  { json, log, found }: { json: boolean; log?: LogLine | undefined; found?: (build: Build) => Promise<void> },
): Promise<Build> {
  const asked = rest.until(signal);
  const told = json ? tellingEvents() : tellingWaits();
  let finding: Promise<void> | undefined;
  const tell: Tell = (build) => {
    told(build);
    if (build.builder?.detection !== undefined) finding ??= found?.(build);
  };
  let last = 0;
  for (;;) {
    // The stream of one that is queued is open all the time: what it waits for is asked for beside it.
    const over = new AbortController();
    const watched = watch(asked, id, AbortSignal.any([signal, over.signal]), tell);
    try {
      for await (const { event, data } of rest.events(`/builds/${id}/logs/stream?after=${last}`, signal)) {
        if (event !== 'log') continue;
        last = Number(data.seq);
        log?.(plain(String(data.text)));
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof LostConnection || isAway(error))) throw error;
    } finally {
      over.abort();
      await watched;
    }
    const build = await asked.call<Build>('GET', `/builds/${id}`);
    tell(build);
    if (isBuildFinal(build.status)) {
      await finding;
      return build;
    }
    await pause(againMillis, undefined, { signal });
  }
}

type LogLine = (line: string) => void;

/** The log beside the result of a command. */
export const logBeside: LogLine = (line) => void process.stderr.write(`  ${line}\n`);

type Tell = (build: Build) => void;

/** Looks at a build until it is told to stop; an answer that does not come is told by others. */
async function watch(rest: Rest, id: string, signal: AbortSignal, tell: Tell): Promise<void> {
  const asked = rest.until(signal);
  while (!signal.aborted) {
    await asked.call<Build>('GET', `/builds/${id}`).then(tell, () => undefined);
    await pause(watchMillis, undefined, { signal }).catch(() => undefined);
  }
}

function tellingWaits(): Tell {
  let waits = '';
  return ({ blocker }) => {
    if (blocker !== '' && blocker !== waits) process.stderr.write(`  ${printable(blocker)}\n`);
    waits = blocker;
  };
}

function tellingEvents(): Tell {
  const events = new Events();
  return ({ id, number, serviceName, status, blocker, error, releaseError, awaitsApproval, deploymentId }) => {
    const why = error || releaseError;
    events.tell('build', id, {
      ...{ buildId: id, number, service: serviceName, status, awaitsApproval, blocker },
      ...(why === '' ? {} : { error: why }),
      ...(deploymentId === undefined ? {} : { deploymentId }),
    });
  };
}

/** Programs colour what they print; a terminal is given no sequence of theirs. */
function plain(line: string): string {
  return printable(stripVTControlCharacters(line));
}

function isAway(error: unknown): boolean {
  return error instanceof RestRefusal && error.status === 0;
}
