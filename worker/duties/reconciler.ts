import { connectionFailure, lockTimeout } from '../../db/postgres/connection-failure.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { openGate } from '../../domain/gate.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { setBlocker } from '../../temporal/delivery/blocker.ts';
import { actorKinds, actorOf } from '../../workflows/descriptors.ts';
import { alone } from './alone.ts';
import { askToLook, mendActor } from './mend-actor.ts';
import { type OpenRow, openRows, unheardRows, withoutOpenRow } from './open-rows.ts';
import type { Reconciling } from './reconciling.ts';
import { type Repeated, repeat } from './repeat.ts';
import { countRunning, failingActors, runningActors } from './running-actors.ts';

/** State carried from one pass to the next. */
export interface Memory {
  /** The actor after which the round of describes goes on. */
  after: string;
  /** By actor, since when its row has said something that it does not show. */
  unheard: Map<string, number>;
  /** By actor: not to be bothered again before that time. */
  quiet: Map<string, number>;
  listing: Listing | undefined;
}

/** All that visibility called running when rows and actors agreed, and how often that has served since. */
interface Listing {
  running: ReadonlyMap<string, Date>;
  open: number;
  passes: number;
}

export function openMemory(): Memory {
  return { after: '', unheard: new Map(), quiet: new Map(), listing: undefined };
}

/** Actors that are described in a pass although nothing is known to be wrong: those after the last ones, round and round. */
const round = 50;
/** Rows with a blocker that a pass checks, to clear blockers that no longer hold. */
const blockersAPass = 50;
/** Describes of a pass that may find visibility wrong. More mean that visibility was restored apart. */
const mostInVain = 50;
const quietMilliseconds = 600_000;
/** Passes that may count instead of list: one actor that went while another one came between two passes is found after these. */
const passesOfListing = 10;
/** An actor that was at work is looked at again before long. */
const busyMilliseconds = 20_000;

/** Compares open rows with their actors, whole sets at a time, and mends the differences. */
export function startReconciler(reconciling: Reconciling): Pick<Repeated, 'stop' | 'now'> {
  const { database, log, milliseconds = 30_000 } = reconciling;
  const memory = openMemory();
  return repeat({
    what: 'Reconciler',
    milliseconds,
    jitter: 0.1,
    log,
    async task(signal) {
      await alone(database, 'reconciler', () => reconcile(reconciling, signal, memory));
    },
  });
}

/** One pass over all open rows and all actors that run. A row that cannot be mended keeps no other one from it. */
export async function reconcile(reconciling: Reconciling, signal?: AbortSignal, memory = openMemory()): Promise<void> {
  const { database, temporal, graceSeconds = 60 } = reconciling;
  // Rows first: an actor whose row is read as open and that is not running afterwards is one to look at.
  const open = new Map<string, OpenRow>();
  for (const kind of actorKinds) {
    for (const row of await openRows(database, kind, graceSeconds)) open.set(actorId(kind, row.id), row);
  }
  const running = await listedActors(temporal, memory, open.size);
  const failing = await failingActors(temporal);
  const pass: Pass = { reconciling, memory, open, running, failing, signal };
  forgetQuiet(memory);
  const missing = await mendDifferences(pass);
  await describeSome(pass);
  await tellUnheard(pass);
  const strays = await endStrays(pass);
  if (missing + strays > 0) memory.listing = undefined;
}

/**
 * All that run. At rest two numbers say that nothing has changed: listing ten thousand takes Temporal as much as it takes to
 * start hundreds.
 */
async function listedActors(temporal: Temporal, memory: Memory, open: number): Promise<ReadonlyMap<string, Date>> {
  const { listing } = memory;
  if (listing?.open === open && listing.passes < passesOfListing) {
    listing.passes += 1;
    if ((await countRunning(temporal)) === listing.running.size) return listing.running;
  }
  const running = await runningActors(temporal);
  memory.listing = { running, open, passes: 0 };
  return running;
}

interface Pass {
  reconciling: Reconciling;
  memory: Memory;
  open: ReadonlyMap<string, OpenRow>;
  running: ReadonlyMap<string, Date>;
  failing: ReadonlySet<string>;
  signal: AbortSignal | undefined;
}

/** Rows that are open while visibility knows of no run: confirmed by describe, one by one, until too many were in vain. Answers how many. */
async function mendDifferences(pass: Pass): Promise<number> {
  const { memory, open, running } = pass;
  const missing = [...open].filter(([actor, { young }]) => !young && !running.has(actor));
  const due = missing.filter(([actor]) => !memory.quiet.has(actor));
  let inVain = 0;
  await each(pass, due, async ([actor, row]) => {
    if (inVain >= mostInVain) return;
    if ((await mend(pass, row)) !== 'running') return;
    inVain += 1;
    memory.quiet.set(actor, Date.now() + quietMilliseconds);
  });
  return missing.length;
}

/** Those that are known to fail or to be blocked, and the next ones of the round. */
async function describeSome(pass: Pass): Promise<void> {
  const { memory, open, running, failing } = pass;
  const there = [...open].filter(([actor, { young }]) => !young && running.has(actor));
  const blocked = there.filter(([actor, { blocker }]) => blocker !== null || failing.has(actor));
  const well = there.filter(([actor, { blocker }]) => blocker === null && !failing.has(actor));
  const ordered = well.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const from = ordered.findIndex(([actor]) => actor > memory.after);
  const next = from === -1 ? ordered.slice(0, round) : ordered.slice(from, from + round);
  memory.after = from + round >= ordered.length ? '' : (next.at(-1)?.[0] ?? '');
  await each(pass, [...blocked.slice(0, blockersAPass), ...next], ([, row]) => mend(pass, row));
}

/** A decision that an actor does not show in time: it is asked to look at its row, whatever message it has missed. */
async function tellUnheard({ reconciling, memory, running, signal }: Pass): Promise<void> {
  const { database, graceSeconds = 60 } = reconciling;
  const now = Date.now();
  const seen = new Map<string, number>();
  for (const kind of actorKinds) {
    for (const id of await unheardRows(database, kind)) {
      const actor = actorId(kind, id);
      const since = memory.unheard.get(actor) ?? now;
      seen.set(actor, since);
      if (now - since < graceSeconds * 1_000 || memory.quiet.has(actor) || !running.has(actor)) continue;
      if (signal?.aborted) return;
      const asked = await askToLook(reconciling, actor, 'The actor does not show a change of its row.');
      if (asked !== 'over') memory.quiet.set(actor, now + (asked === 'busy' ? busyMilliseconds : quietMilliseconds));
    }
  }
  memory.unheard = seen;
}

/** Actors that run although their row is final or gone: asked to look, they end without effects. Answers how many. */
async function endStrays({ reconciling, memory, open, running, signal }: Pass): Promise<number> {
  const { database, graceSeconds = 60 } = reconciling;
  const old = Date.now() - graceSeconds * 1_000;
  const strange = [...running].filter(([actor, startedAt]) => !open.has(actor) && startedAt.getTime() <= old);
  let strays = 0;
  for (const kind of actorKinds) {
    // Workflows of somebody else in the namespace are none of ours.
    const ids = strange.flatMap(([actor]) => {
      const known = actorOf(actor);
      return known?.kind === kind ? [known.rowId] : [];
    });
    if (ids.length === 0) continue;
    strays += ids.length;
    for (const id of await withoutOpenRow(database, kind, ids, graceSeconds)) {
      const actor = actorId(kind, id);
      if (signal?.aborted) return strays;
      if (memory.quiet.has(actor)) continue;
      const asked = await askToLook(reconciling, actor, 'The actor is running although its row is final or deleted.');
      memory.quiet.set(actor, Date.now() + (asked === 'busy' ? busyMilliseconds : quietMilliseconds));
    }
  }
  return strays;
}

/** Some at once. Without the database or Temporal nobody can be mended, and the pass ends. */
async function each<T>({ signal }: Pass, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const gate = openGate(8);
  const done = await Promise.allSettled(
    items.map((item) =>
      gate(async () => {
        if (!signal?.aborted) await work(item);
      }),
    ),
  );
  const refused = done.find((one) => one.status === 'rejected');
  if (refused) throw refused.reason;
}

async function mend({ reconciling }: Pass, row: OpenRow): Promise<string> {
  const { database, log } = reconciling;
  const actor = actorId(row.kind, row.id);
  try {
    return (await mendActor(reconciling, row)).is;
  } catch (error) {
    if (connectionFailure(error) || hasStatus(error, 'unavailable', 'deadlineExceeded')) throw error;
    if (lockTimeout(error)) {
      // Its blocker could not be written either. The next pass looks again.
      log.warn({ err: error, actor }, 'The row of an actor is locked; the others continue');
      return 'not mended';
    }
    const why = error instanceof Error ? error.message : String(error);
    log.error({ err: error, actor }, 'An actor cannot be repaired; the others continue');
    await setBlocker(database.kysely, actor, `Repair failed: ${why}`);
    return 'not mended';
  }
}

function forgetQuiet({ quiet }: Memory): void {
  const now = Date.now();
  for (const [actor, until] of quiet) if (until < now) quiet.delete(actor);
}
