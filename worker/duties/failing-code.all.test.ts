import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { sealedPlace } from '../../db/notification-channels/notification-channels.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { listActors } from '../../db/workflows/actors.ts';
import { actorId, hintColumn, lookAgain } from '../../domain/actors/actors.ts';
import { taskQueue } from '../../temporal/connection/task-queue.ts';
import { actorsGround } from '../../test/actors/actors.ts';
import { atRest } from '../../test/actors/at-rest.ts';
import { type SampleRow, sampleRow } from '../../test/actors/sample-row.ts';
import { receiver } from '../../test/ground/receiver.ts';
import { until } from '../../test/ground/until.ts';
import { patient } from '../../test/run/patience.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { openMetrics } from '../host/metrics.ts';
import { reconcile } from './reconciler.ts';

interface Sample extends SampleRow {
  kind: ActorKind;
  actor: string;
  row: Awaited<ReturnType<typeof rowOf>>;
}
/** The other side of messages, which never takes one: so their actors wait. */
/** Their code throws a TypeError when it takes a message. */
/** Their code does something else than their history says. */
const both = () => [...throwing, ...straying];
/** A machine at its limit lets even the first task run out of time: then the history names no fault. */
const sentences = {
  failed: 'The workflow code keeps failing; see the log of the worker.',
  late: 'No worker continues the workflow in time: the workers are down or overloaded, or its code fails; see the log of the worker.',
};

/** Actors of each kind at rest in each state in which one rests, twice, served by the code that there is. */
const ground = await actorsGround();
const chat = await receiver();
chat.otherwise(503);
const stopServing = await ground.serve({ outbound: chat.rules });
const [throwing, straying] = await Promise.all([begin(), begin()]);
await stopServing();
expect(new Set(throwing.map(({ kind }) => kind))).toEqual(new Set(actorKinds));

afterAll(async () => {
  await ground.close();
  await chat.close();
});

async function start(kind: ActorKind, state: string, workflowTaskTimeout: '1s' | '2s') {
  const sample = await sampleRow(ground.database, kind, { state, revision: 3 });
  if (kind === 'notification-delivery') await giveAddress(sample);
  const actor = actorId(kind, sample.id);
  const start = await actorStart(ground.database.kysely, kind, sample.id);
  const options = { workflowId: actor, taskQueue, workflowTaskTimeout, args: [start?.input] } as const;
  await ground.temporal.client.workflow.start(descriptors[kind].workflow, options);
  return { ...sample, kind, actor };
}

async function giveAddress({ organizationId }: SampleRow): Promise<void> {
  const channels = tenant(ground.database.kysely, organizationId);
  const { id } = await channels.selectFrom('notification_channel').select('id').executeTakeFirstOrThrow();
  const sealed = await ground.keyring.encryptSecret(organizationId, sealedPlace(id), chat.url('/sample'));
  await channels.updateTable('notification_channel').set({ sealed }).where('id', '=', id).execute();
}

async function begin(): Promise<Sample[]> {
  const states = actorKinds.flatMap((kind) => {
    const { states, final } = descriptors[kind];
    return states.filter((state) => !final.includes(state)).map((state) => ({ kind, state }));
  });
  const begun = await Promise.all(
    states.map(async ({ kind, state }) => {
      // From the second failure on the SDK lets a task run out of time, which takes ten seconds unless told.
      const sample = await start(kind, state, '2s');
      const rests = await atRest(ground, sample.actor);
      return { ...sample, rests, row: await rowOf(kind, sample.id) };
    }),
  );
  return begun.filter(({ rests }) => rests);
}

function rowOf(kind: ActorKind, id: string) {
  return ground.database.kysely
    .selectFrom(descriptors[kind].table as 'deletion')
    .select(['state', 'revision', 'message', 'blocker', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The code that all kinds share, spoilt in two places. */
function spoil(code: string): string {
  const ids = JSON.stringify(straying.map(({ id }) => id));
  const changed = code
    .replace('await claimActor(', `await (${ids}.includes(rowId) ? reportUnreadable : claimActor)(`)
    .replace('take() {', 'take() { undefined.body;');
  expect(changed.length - code.length, 'both places are there').toBeGreaterThan(ids.length + 50);
  return changed;
}

/** Each is asked to look at its row, which is a task for its code. */
async function ask(): Promise<void> {
  for (const { actor } of both()) {
    await ground.temporal.client.workflow.getHandle(actor).signal(lookAgain, { id: 'look', body: {} });
  }
}

/** Passes of the reconciler, until each of the rows is blocked, or none. */
async function areBlocked(blocked: boolean): Promise<void> {
  const { database, temporal, log } = ground;
  await until(
    `each row has ${blocked ? 'a' : 'no'} blocker`,
    async () => {
      await reconcile({ database, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 });
      const rows = await Promise.all(both().map(({ kind, id }) => rowOf(kind, id)));
      return rows.every((row) => (row.blocker !== null) === blocked);
    },
    120,
  );
}

async function hints({ kind, id }: Sample): Promise<number> {
  const { table, hint } = descriptors[kind];
  const { rows } = await sql`
    select position from change_feed where kind = ${hint}
      and subject_id = (select ${sql.ref(hintColumn(descriptors[kind]))}::text from ${sql.table(table)} where id = ${id})
  `.execute(ground.database.kysely);
  return rows.length;
}

const stuck = async ({ organizationId }: Sample) =>
  (await listActors(ground.database.kysely, organizationId, { kinds: actorKinds, stuck: true, limit: 5 })).map(
    ({ id }) => id,
  );
const described = async ({ actor }: Sample) => {
  const { status, raw } = await ground.temporal.client.workflow.getHandle(actor).describe();
  return { status: status.name, firstRunId: raw.workflowExecutionInfo?.firstRunId };
};

async function failedTask({ actor }: Sample): Promise<boolean> {
  const { events } = await ground.temporal.client.workflow.getHandle(actor).fetchHistory();
  return events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed) ?? false;
}

test(
  'code that fails ends no actor: people see each as stuck, until the code is mended',
  async () => {
    const began = await Promise.all(both().map(described));
    const hinted = await Promise.all(both().map(hints));
    const stopFaulty = await ground.serve({ change: spoil });
    try {
      await ask();
      await areBlocked(true);
      for (const one of both()) {
        // The row says what it said before, and why nothing happens; the feed tells it once.
        const failed = await failedTask(one);
        const blocker = sentences[failed ? 'failed' : 'late'];
        expect(await rowOf(one.kind, one.id)).toEqual({ ...one.row, blocker });
        expect(await stuck(one)).toEqual([one.id]);
        // One line of ours names actor and fault.
        const told = ground.lines.filter(
          ({ actor, msg }) => actor === one.actor && /its task is retried$/.test(`${msg}`),
        );
        const fault = throwing.includes(one)
          ? /^Cannot read properties of undefined .*'body'/
          : /Nondeterminism.*'claimActor'/;
        const named = failed ? { level: 50, fault: expect.stringMatching(fault) } : { level: 40 };
        expect(told, one.actor).toEqual([expect.objectContaining(named)]);
      }
      const named = ground.lines.filter(
        ({ msg, fault }) => /^The code of a workflow/.test(`${msg}`) && fault !== undefined,
      );
      expect(named.length).toBeGreaterThan(0);
      // Those of the SDK name the actor at least, and carry no payload.
      const failing = ground.lines.filter(({ msg }) => msg === 'Failing workflow task');
      expect(new Set(failing.map(({ actor }) => actor))).toEqual(new Set(both().map(({ actor }) => actor)));
      expect(ground.lines.filter((line) => JSON.stringify(line).includes('encoded_attributes'))).toEqual([]);
      expect(await Promise.all(both().map(hints))).toEqual(hinted.map((number) => number + 1));
      expect(await Promise.all(both().map(described))).toEqual(began);
    } finally {
      await stopFaulty();
    }
    const stopMended = await ground.serve();
    try {
      await areBlocked(false);
      for (const one of both()) {
        expect(await stuck(one)).toEqual([]);
        expect(await hints(one)).toBeGreaterThan((hinted[both().indexOf(one)] ?? 0) + 1);
        // The message that came meanwhile is heard: the actor looks at its row, and continues from there.
        const first = began[both().indexOf(one)];
        await until(`${one.actor} has looked`, async () => {
          const { runId } = await ground.temporal.client.workflow.getHandle(one.actor).describe();
          return runId !== first?.firstRunId;
        });
        expect(await described(one)).toEqual(first);
        expect((await rowOf(one.kind, one.id)).finished_at).toBeNull();
      }
    } finally {
      await stopMended();
    }
  },
  patient(300_000),
);

test('workers that are killed at each task are not code that fails', async () => {
  const { database, temporal, log, lines } = ground;
  const { kind, id, actor } = await start('deletion', 'retained', '1s');
  const { connection, namespace } = temporal;
  const poll = { namespace, taskQueue: { name: taskQueue }, identity: 'killed' };
  const blocker = await until('the row is blocked', async () => {
    // This worker takes the task and never answers.
    await connection.workflowService.pollWorkflowTaskQueue(poll);
    await reconcile({ database, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 });
    return (await rowOf(kind, id)).blocker ?? undefined;
  });
  expect(blocker).toBe(sentences.late);
  expect(lines.filter((line) => line.actor === actor && line.level === 50)).toEqual([]);
});
