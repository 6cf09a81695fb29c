import { sql } from 'kysely';
import type { Logger } from 'pino';
import { letGoOfCluster } from '../../db/agent-updates/agent-updates.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import { poisonedAfter } from '../../db/engine/outbox.ts';
import { actorRow, project } from '../../db/engine/projection.ts';
import type { Database } from '../../db/postgres/database.ts';
import { type ActorKind, actorId, actorKinds } from '../../domain/actors.ts';
import { failureOf } from '../../domain/audit-actions.ts';
import { openGate } from '../../domain/gate.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { setBlocker } from '../../temporal/delivery/blocker.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import type { Metrics } from '../host/metrics.ts';
import { actorInput } from './actor-inputs.ts';
import { actorStatus } from './actor-status.ts';
import { alone } from './alone.ts';
import { type Repeated, repeat } from './repeat.ts';

export interface Reconciling {
  database: Database;
  temporal: Temporal;
  log: Logger;
  metrics: Pick<Metrics, 'restarted' | 'ended'>;
  milliseconds?: number;
  /** A row younger than this is left to the delivery of its start. */
  graceSeconds?: number;
}

export interface OpenRow {
  kind: ActorKind;
  id: string;
  organizationId: string;
  state: string;
  revision: number;
  blocker: string | null;
}

const author: Author = { kind: 'machine', id: 'reconciler', name: 'reconciler' };
const page = 100;
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Compares open rows with their actors and mends the difference. A lost actor is started again; one that has stopped
 * without ending its row has its row ended; one that is stuck says so in its row.
 */
export function startReconciler(reconciling: Reconciling): Pick<Repeated, 'stop' | 'now'> {
  const { database, log, milliseconds = 30_000 } = reconciling;
  return repeat({
    what: 'Reconciler',
    milliseconds,
    jitter: 0.1,
    log,
    async task(signal) {
      await alone(database, 'reconciler', () => reconcile(reconciling, signal));
    },
  });
}

/** One pass over all open rows of all kinds. */
export async function reconcile(reconciling: Reconciling, signal?: AbortSignal): Promise<void> {
  const gate = openGate(8);
  for (const kind of Object.keys(actorKinds) as ActorKind[]) {
    for (let after = lowestId; !signal?.aborted; ) {
      const rows = await openRows(reconciling, kind, after);
      const mended = await Promise.allSettled(rows.map((row) => gate(() => mend(reconciling, row))));
      const refused = mended.find((one) => one.status === 'rejected');
      if (refused) throw refused.reason;
      const last = rows.at(-1);
      if (!last || rows.length < page) break;
      after = last.id;
    }
  }
}

async function openRows(
  { database, graceSeconds = 60 }: Reconciling,
  kind: ActorKind,
  after: string,
): Promise<OpenRow[]> {
  const rows = await database.kysely
    .selectFrom(actorKinds[kind].table)
    .select(['id', 'organization_id', 'state', 'revision', 'blocker'])
    .where('finished_at', 'is', null)
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${graceSeconds})`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(page)
    .execute();
  return rows.map(({ organization_id: organizationId, ...row }) => ({ kind, organizationId, ...row }));
}

async function mend(reconciling: Reconciling, row: OpenRow): Promise<void> {
  const { database, temporal } = reconciling;
  const status = await actorStatus(temporal, actorId(row.kind, row.id));
  if (status.is === 'closed') return endRow(reconciling, row, status.how);
  if (status.is === 'unknown') return startAgain(reconciling, row);
  const stuck = status.stuck ?? null;
  // A blocker that the outbox put there is the outbox's to take away.
  if (stuck === row.blocker || (stuck === null && (await hasPoisonedEntry(database, row)))) return;
  await setBlocker(database.kysely, actorId(row.kind, row.id), stuck);
}

/** Through the client and not through the outbox: there it would wait behind what cannot be told to a lost actor. */
async function startAgain({ database, temporal, log, metrics }: Reconciling, row: OpenRow): Promise<void> {
  const { kind, id: rowId, organizationId, state } = row;
  const actor = actorId(kind, rowId);
  const starting = await database.kysely
    .selectFrom('outbox')
    .select('id')
    .where('actor_id', '=', actor)
    .where('kind', '=', 'start')
    .executeTakeFirst();
  // The relay is at it.
  if (starting) return;
  const input = await actorInput(database.kysely, kind, rowId);
  if (!input || (await actorRow(database.kysely, kind, rowId))?.finished_at !== null) return;
  const how = await startActor(temporal, { kind, rowId, organizationId, state, input, author: { ...author } });
  metrics.restarted.inc();
  log.warn({ actor, how }, 'An actor was lost; it is started again');
}

/** The actor has stopped without its last word. What it stood for is not done, and nobody else will say so. */
async function endRow({ database, log, metrics }: Reconciling, row: OpenRow, how: string): Promise<void> {
  const { kind, id, organizationId } = row;
  const actor = actorId(kind, id);
  const message = `The process behind it ${how} before it was done; ask for it again.`;
  const ended = await effect(database, author, async (ending) => {
    const { kysely, audit, change } = ending;
    // Locked: it may be ending at this very moment.
    const now = await kysely
      .selectFrom(actorKinds[kind].table)
      .select(['revision', 'finished_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (now?.finished_at !== null) return false;
    const projection = { state: 'failed', revision: now.revision, finished: true, set: { message } } as const;
    const { result } = await project(kysely, kind, id, projection, database.raiseAlarm);
    if (result === 'refused') return false;
    const { action, subject } = failureOf[kind];
    const [subjectKind, subjectId] = subject === 'row' ? [kind, id] : [subject, organizationId];
    audit({ action, organizationId, subjectKind, subjectId, details: { message } });
    change({ organizationId, kind: actorKinds[kind].hint, id });
    if (kind === 'agent-update') await letGoOfCluster(ending, id);
    return true;
  });
  if (!ended) return;
  metrics.ended.inc();
  database.raiseAlarm({ actorId: actor, message: `${actor} ${how} while its row was ${row.state}.` });
  log.error(
    { actor, how, state: row.state },
    'An actor has stopped without ending its row; the row is ended as failed',
  );
}

async function hasPoisonedEntry(database: Database, { kind, id }: OpenRow): Promise<boolean> {
  const entry = await database.kysely
    .selectFrom('outbox')
    .select('id')
    .where('actor_id', '=', actorId(kind, id))
    .where('attempts', '>=', poisonedAfter)
    .executeTakeFirst();
  return entry !== undefined;
}
