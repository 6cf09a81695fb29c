import type { Logger } from 'pino';
import {
  archivedRuns,
  type Finished,
  finishedWithoutArchive,
  markArchived,
  storeHistoryPage,
} from '../../db/engine/archive/history-archive.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import type { Database } from '../../db/postgres/database.ts';
import { actorId } from '../../domain/actors/actors.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { fetchHistory, fetchRun, runsUpTo } from '../../temporal/history/fetch-history.ts';
import { type ActorKind, actorKinds } from '../../workflows/descriptors.ts';
import type { Metrics } from '../host/metrics.ts';
import { actorStatus } from './actor-status.ts';
import { alone } from './alone.ts';
import { type Repeated, repeat } from './repeat.ts';

export interface Archiving {
  database: Database;
  keyring: Keyring;
  temporal: Temporal;
  log: Logger;
  metrics: Pick<Metrics, 'archived' | 'runningAfterEnd'>;
  milliseconds?: number;
  /** So long may an actor go on after its last word; it has to answer what it was still asked. */
  graceSeconds?: number;
}

const page = 200;

/** Histories outlive what Temporal keeps: when an actor has ended, its history becomes rows of ours. */
export function startArchive(archiving: Archiving): Pick<Repeated, 'stop'> {
  const { database, log, milliseconds = 5_000 } = archiving;
  const reported = new Set<string>();
  return repeat({
    what: 'Archive of histories',
    milliseconds,
    jitter: 0.2,
    log,
    async task(signal) {
      await alone(database, 'archive', () => archiveFinished(archiving, reported, signal));
    },
  });
}

/** One pass. What cannot be archived yet is left for the next one and keeps nobody else waiting. */
export async function archiveFinished(
  archiving: Archiving,
  reported = new Set<string>(),
  signal?: AbortSignal,
): Promise<void> {
  const { database, metrics, graceSeconds = 60 } = archiving;
  let overdue = 0;
  let failure: unknown;
  for (const kind of actorKinds) {
    for await (const row of finishedRows(database, kind)) {
      if (signal?.aborted) return;
      const actor = actorId(kind, row.id);
      const late = Date.now() - row.finishedAt.getTime() > graceSeconds * 1_000;
      try {
        const found = await archiveActor(archiving, actor, row.organizationId);
        if (found === 'running' && late) {
          overdue += 1;
          report(archiving, actor, reported);
        }
        if (found === 'running' || (found === 'unknown' && !late)) continue;
        await markArchived(database.kysely, kind, row.id);
        metrics.archived.inc();
      } catch (error) {
        if (connectionFailure(error) || hasStatus(error, 'unavailable', 'deadlineExceeded')) throw error;
        failure ??= error;
      }
    }
  }
  metrics.runningAfterEnd.set(overdue);
  if (failure !== undefined) throw failure;
}

/** All of them, a page at a time: those that must wait do not stand in the way of those behind them. */
async function* finishedRows({ kysely }: Database, kind: ActorKind): AsyncGenerator<Finished, void, undefined> {
  for (let last: Finished | undefined; ; ) {
    const rows: Finished[] = await finishedWithoutArchive(kysely, kind, page, last);
    yield* rows;
    last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
  }
}

/** An actor of which Temporal knows nothing never began: its row was final before its start was delivered. */
async function archiveActor(
  { database, keyring, temporal, log }: Archiving,
  actor: string,
  organizationId: string,
): Promise<'archived' | 'running' | 'unknown'> {
  const status = await actorStatus(temporal, actor);
  if (status.is !== 'closed') return status.is;
  let pages = 0;
  for await (const fetched of fetchHistory(temporal, actor, status.runId)) {
    await storeHistoryPage(database.kysely, keyring, { actorId: actor, organizationId, ...fetched });
    pages += 1;
  }
  log.info({ actor, pages }, 'Archived the history of an actor');
  return 'archived';
}

/** Archives a run that was continued as new, and unarchived ones before it: Temporal forgets them. */
export function archiveRuns({ database, keyring, temporal }: Pick<Archiving, 'database' | 'keyring' | 'temporal'>) {
  return async ({ actorId, organizationId, runId }: { actorId: string; organizationId: string; runId: string }) => {
    const known = new Set((await archivedRuns(database.kysely, actorId)).map((run) => run.runId));
    // The given one is archived again: an earlier attempt may have been killed half way.
    known.delete(runId);
    for (const run of await runsUpTo(temporal, actorId, runId, known)) {
      for await (const fetched of fetchRun(temporal, actorId, run)) {
        await storeHistoryPage(database.kysely, keyring, { actorId, organizationId, ...fetched });
      }
    }
  };
}

/** Once a process. To end it is left to a person: it may be in the middle of something that its row does not tell. */
function report({ database }: Archiving, actor: string, reported: Set<string>): void {
  if (reported.has(actor)) return;
  reported.add(actor);
  database.raiseAlarm({ actorId: actor, message: `${actor} still runs although its row is final: query its view.` });
}
