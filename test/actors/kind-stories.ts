import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actorRow } from '../../db/engine/projection.ts';
import type { Alarm } from '../../db/postgres/database.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { actorId, lookAgain } from '../../domain/actors/actors.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import { actorStatus } from '../../worker/duties/actor-status.ts';
import { mendActor } from '../../worker/duties/mend-actor.ts';
import { openRows } from '../../worker/duties/open-rows.ts';
import type { Reconciling } from '../../worker/duties/reconciling.ts';
import { openMetrics } from '../../worker/host/metrics.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import { until } from '../ground/until.ts';
import { messagesOf } from './actor-messages.ts';
import { atRest } from './at-rest.ts';
import { type ServedGround, servedGround } from './grounds/served-ground.ts';
import { sampleRow } from './sample-row.ts';

/** A kind of actor, and a state that its row is in. */
export type Cell = readonly [kind: ActorKind, state: string];

/** Rules for every kind of actor in every state, as tests of some cells. */
export function kindStories() {
  let ground: ServedGround;
  let reconciling: Reconciling;
  const alarms: Alarm[] = [];

  beforeAll(async () => {
    ground = await servedGround();
    ground.database.onAlarm((alarm) => alarms.push(alarm));
    const { database, temporal, log } = ground;
    reconciling = { database, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 };
  });
  afterAll(() => ground.close());

  const handle = (actor: string) => ground.temporal.client.workflow.getHandle(actor);
  const isOver = async (kind: ActorKind, id: string) => {
    const row = await actorRow(ground.database.kysely, kind, id);
    return row === undefined || row.finished_at !== null;
  };
  const rest = (actor: string) => atRest(ground, actor);

  async function mend(kind: ActorKind, id: string): Promise<void> {
    const row = (await openRows(ground.database, kind, 0)).find((one) => one.id === id);
    if (row !== undefined) await mendActor(reconciling, row);
  }

  const stories = (what: string, cells: readonly Cell[], story: (kind: ActorKind, state: string) => Promise<void>) =>
    test(what, async () => {
      // All at once: each has its own row and waits far more than it works.
      const done = await Promise.allSettled(cells.map(([kind, state]) => story(kind, state)));
      const failed = done.flatMap((one, index) =>
        one.status === 'rejected' ? [`${cells[index]?.join(' ')}: ${String(one.reason)}`] : [],
      );
      expect(failed).toEqual([]);
    });

  return {
    startedAgain: (cells: readonly Cell[]) =>
      stories(
        'lost by Temporal, an actor is started again from its state; terminated, it goes on or fails',
        cells,
        async (kind, state) => {
          const { id } = await sampleRow(ground.database, kind, { state, revision: 3 });
          const actor = actorId(kind, id);
          await mend(kind, id);
          if (!(await rest(actor))) {
            expect(await isOver(kind, id)).toBe(true);
            return;
          }
          const { runId } = await handle(actor).describe();
          await handle(actor).terminate();
          await mend(kind, id);
          expect((await handle(actor).describe()).runId).not.toBe(runId);
          const runs = await rest(actor);
          expect(runs).toBe(descriptors[kind].lives === 'for-ever');
          const row = await ground.database.kysely
            .selectFrom(descriptors[kind].table as 'deletion')
            .select(['state', 'message', 'finished_at'])
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          if (descriptors[kind].lives === 'for-ever') expect(row.finished_at).toBeNull();
          else expect(row).toMatchObject({ state: 'failed', message: expect.stringContaining('was terminated') });
        },
      ),

    unreadable: (cells: readonly Cell[]) =>
      stories('a message that is unknown or cannot be read is told and skipped', cells, async (kind, state) => {
        const { id } = await sampleRow(ground.database, kind, { state, revision: 3 });
        const actor = actorId(kind, id);
        await mend(kind, id);
        if (!(await rest(actor))) return;
        const { runId } = await handle(actor).describe();
        const bad: [string, unknown[]][] = [['launchTheShip', [{ id: 'x', body: {} }]]];
        for (const name of Object.keys(await messagesOf(kind))) {
          bad.push([name, []], [name, [{ id: 'x' }]]);
        }
        for (const [name, given] of bad) await handle(actor).signal(name, ...given);
        const skipped = () =>
          alarms.filter((one) => one.actorId === actor && one.message.includes('cannot read')).length;
        await until(`${actor} has skipped them`, async () => skipped() === bad.length);
        expect(await rest(actor)).toBe(true);
        // The same run goes on, and its row says the same.
        expect((await handle(actor).describe()).runId).toBe(runId);
        expect(await isOver(kind, id)).toBe(false);
        await handle(actor).terminate();
      }),

    adopts: (cells: readonly Cell[]) =>
      stories('from an older copy of Temporal, an actor adopts what its row says', cells, async (kind, state) => {
        const { id, organizationId } = await sampleRow(ground.database, kind, { state, revision: 3 });
        const actor = actorId(kind, id);
        const input = {
          ...(await actorStart(ground.database.kysely, kind, id))?.input,
          state: descriptors[kind].states[0],
          revision: 0,
        };
        await startActor(ground.temporal, { kind, rowId: id, organizationId, state, input, author: {} });
        if (!(await rest(actor))) {
          expect(await isOver(kind, id)).toBe(true);
          return;
        }
        // The refused claim made the actor continue in a new run from its row.
        const { events } = await handle(actor).fetchHistory();
        expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
        const second = (await handle(actor).describe()).runId;
        const row = sql.table(descriptors[kind].table);
        await sql`update ${row} set revision = revision + 7 where id = ${id}`.execute(ground.database.kysely);
        await handle(actor).signal(lookAgain, { id: 'look', body: {} });
        await until('it has looked', async () => (await handle(actor).describe()).runId !== second);
        expect(await rest(actor)).toBe(true);
        // Another writer made the row final: the actor ends without effects.
        await sql`update ${row} set finished_at = now() where id = ${id}`.execute(ground.database.kysely);
        await handle(actor).signal(lookAgain, { id: 'again', body: {} });
        await until('it has ended', async () => (await actorStatus(ground.temporal, actor)).is === 'closed');
        expect((await handle(actor).describe()).status.name).toBe('COMPLETED');
      }),
  };
}
