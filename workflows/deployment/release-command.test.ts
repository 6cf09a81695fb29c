import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit, type NewDeployment } from '../../db/deployments/admission.ts';
import { listDeploymentEvents } from '../../db/deployments/deployment-events.ts';
import type { DeploymentStage } from '../../domain/deployments/states.ts';
import { type Asked, DeploymentGround } from '../../test/actors/grounds/deployment-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const at = new DeploymentGround();
const { becomes, deliver, goLive, handle, row, run, slice, told, place: seeded } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

const releaseCommand = ['node', 'migrate.js'];
const migrate = (place: SeededPlace, number: number, more: Partial<NewDeployment> = {}, release: object = {}) =>
  at.deploy(place, number, more, { releaseCommand, ...release });

const commandOf = async (asked: Asked) =>
  ((await slice(asked))?.workload.rollout as { releaseCommand?: object } | undefined)?.releaseCommand;

async function releasing(place: SeededPlace, number: number): Promise<Asked> {
  const asked = await migrate(place, number);
  await becomes(asked, 'preparing');
  await told(asked, 'releasing');
  await becomes(asked, 'releasing');
  return asked;
}

async function cancel({ id, place: { projectId } }: Asked): Promise<void> {
  const project = { organizationId: at.organizationId, projectId };
  await run((cancelling) => admit(cancelling, project, { event: 'cancel', id, because: 'person' }));
}

const events = ({ id }: Asked) =>
  listDeploymentEvents(
    at.actors.database.kysely,
    { deploymentId: id, organizationId: at.organizationId },
    { limit: 50 },
  );

test('the agent is told to run it, people see its stage, and once the release is live no machine is told any more', async () => {
  const asked = await releasing(await seeded(), 1);
  const wanted = await slice(asked);
  expect(await commandOf(asked)).toEqual({
    ...{ command: releaseCommand, timeoutSeconds: 600 },
    journal: expect.any(String),
  });
  await told(asked, 'starting', { at: { releasing: new Date().toISOString() } });
  await becomes(asked, 'starting');
  await told(asked, 'done', { at: { releasing: new Date().toISOString() } });
  expect(await handle(asked).result()).toBe('live');
  const { stages } = await row(asked);
  expect(stages.map(({ stage }) => stage)).toEqual([
    ...['queue', 'prepare', 'release-command', 'start', 'check', 'switch', 'drain'],
  ]);
  for (const [index, { endedAt }] of stages.entries()) expect(endedAt).toBe(stages[index + 1]?.startedAt ?? endedAt);
  expect((await events(asked)).filter(({ stage }) => stage === 'release-command').map(({ kind }) => kind)).toEqual([
    'stage-started',
    'stage-ended',
  ]);
  const after = await slice(asked);
  expect(after?.revision).toBeGreaterThan(wanted?.revision ?? 0);
  expect(after?.workload.rollout).toEqual({ id: asked.id, digest: asked.digest });
});

test.each([
  ['its exit', 'exit', 'The release command exited with code 3.'],
  ['nobody knows', 'unknown', 'It may have run, in part or to its end: rerun the deployment with it or without it.'],
] as const)(
  'it failed by %s: so does the deployment, and the live release is wanted as before',
  async (_, why, message) => {
    const place = await seeded();
    const live = await migrate(place, 1);
    await goLive(live);
    const asked = await releasing(place, 2);
    const failure = {
      ...{ process: 'release-command', instance: 'release-command-1', exit: { code: 3 }, lines: ['no such table'] },
      releaseCommand: why,
    };
    await told(asked, 'returned', { at: { releasing: new Date().toISOString() }, message, failure });
    expect(await handle(asked).result()).toBe('failed');
    expect(await row(asked)).toMatchObject({ waitsFor: 'release-command', message, failure });
    expect((await row(asked)).stages.at(-1)).toMatchObject({ stage: 'release-command', endedAt: expect.any(String) });
    expect((await slice(asked))?.workload).toMatchObject({ release: '1', rollout: { id: live.id } });
    expect(await commandOf(asked)).toBeUndefined();
    expect((await events(asked)).map(({ kind }) => kind)).not.toContain('instance-failed');
  },
);

test('cancelled while it runs, or is about to: the message says that part of it may have been done', async () => {
  const place = await seeded();
  await goLive(await at.deploy(place, 1));
  const asked = await releasing(place, 2);
  await cancel(asked);
  await deliver(asked);
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await row(asked)).message).toMatch(/^Cancelled while its release command ran\. .* with it or without it\.$/);
  expect((await slice(asked))?.workload).toMatchObject({ release: '1' });
  const early = await migrate(place, 3);
  await becomes(early, 'preparing');
  await cancel(early);
  await deliver(early);
  expect(await handle(early).result()).toBe('cancelled');
  expect((await row(early)).message).toContain('just before its release command, which may have begun');
  // So that it can be left out by a rerun.
  expect((await row(early)).stages.at(-1)).toMatchObject({ stage: 'release-command', endedAt: expect.any(String) });
});

test('while one runs its release command, no other deployment of the place is told to its cluster', async () => {
  const place = await seeded();
  const first = await releasing(place, 1);
  const second = await migrate(place, 2);
  await until('it waits', async () => (await row(second)).waitsFor === 'earlier-deployment');
  expect((await slice(first))?.workload.rollout).toMatchObject({ id: first.id });
  await told(first, 'done', { at: { releasing: new Date().toISOString() } });
  await becomes(first, 'live');
  await deliver(second);
  await becomes(second, 'preparing');
  expect(await commandOf(second)).toBeDefined();
  await goLive(second);
});

test('deployments that bring no new release leave it out, and so does a rerun from a later stage', async () => {
  const place = await seeded();
  const live = await migrate(place, 1);
  await goLive(live);
  const told = async (number: number, more: Partial<NewDeployment>, release: object = {}) => {
    const asked = await migrate(place, number, more, release);
    await becomes(asked, 'preparing');
    const command = await commandOf(asked);
    await cancel(asked);
    await deliver(asked);
    expect(await handle(asked).result()).toBe('cancelled');
    return { asked, runs: command !== undefined };
  };
  expect(await told(2, {}, { runsAs: 1 })).toMatchObject({ runs: false });
  const { asked, runs } = await told(3, { kind: 'change-set' });
  expect(runs).toBe(true);
  const rerun = (fromStage: DeploymentStage) => ({ kind: 'rerun', rerunOf: asked.id, fromStage }) as const;
  expect(await told(4, rerun('release-command'))).toMatchObject({ runs: true });
  expect(await told(5, rerun('start'))).toMatchObject({ runs: false });
});

test('an agent that knows no release commands is told nothing: the deployment fails with what to do', async () => {
  const place = await seeded();
  const agent = at.actors.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', place.clusterId);
  await agent.set({ protocol_minor: 2 }).execute();
  const asked = await migrate(place, 1);
  expect(await handle(asked).result()).toBe('failed');
  expect(await row(asked)).toMatchObject({
    ...{
      waitsFor: 'release-command',
      message: expect.stringContaining('too old for release commands: update it with'),
    },
  });
  expect(await slice(asked)).toBeUndefined();
  await agent.set({ protocol_minor: 3 }).execute();
});
