import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { admit, type NewDeployment } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { runningApi, seed, seedToken } from '../../test/installation/running-api.ts';
import { machine, seedMember } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const api = await runningApi();
const ours = await seed(api.database);
afterAll(() => api.close());

const own = () => tenant(api.database.kysely, ours.organizationId);

async function start(place: SeededPlace, number: number, more: Partial<NewDeployment> = {}): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = place;
  const { id: releaseId } = await seedRelease(api.database, place, number);
  const one = { id: uuid(), environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true, ...more };
  await effect(api.database, machine, (starting) =>
    admit(starting, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return one.id;
}

async function why(path: string, by = ours.tokens.viewer) {
  const answer = await api.call('GET', `/api/v1${path}`, { as: by });
  expect(answer, answer.text).toMatchObject({ status: 200 });
  return answer.body.items as {
    deploymentId: string;
    state: string;
    blocker: string;
    lines: { topic: string; text: string; at?: string }[];
  }[];
}

const fail = (id: string) =>
  own()
    .updateTable('deployment')
    .set({
      ...{ state: 'failed', waits_for: 'health', message: 'It did not answer.', finished_at: new Date() },
      stages: JSON.stringify([{ stage: 'start', startedAt: new Date().toISOString() }]) as never,
      failure: JSON.stringify({ process: 'web', instance: 'web-1', exit: { code: 3 }, lines: ['no DB_URL'] }) as never,
    })
    .where('id', '=', id)
    .execute();

test('a viewer reads why a rollback waits for its approval: who decides, since when, and the command', async () => {
  const place = await seedPlace(api.database, ours.organizationId, { production: true });
  const release = await seedRelease(api.database, place, 1);
  await own()
    .updateTable('environment_service')
    .set({ live_release_id: (await seedRelease(api.database, place, 2)).id })
    .where('service_id', '=', place.serviceId)
    .execute();
  const held = await api.call('POST', `/api/v1/releases/${release.id}/rollback`, {
    as: ours.tokens.deployer,
    body: {},
  });
  const { deployment, approval } = held.body as { deployment: { id: string }; approval: { id: string } };
  const [item, ...others] = await why(`/deployments/${deployment.id}/why`);
  expect(others).toEqual([]);
  expect(item).toMatchObject({ deploymentId: deployment.id, state: 'pending', blocker: 'approval' });
  const [what, since, tried, who, how, ...rest] = item?.lines ?? [];
  expect(rest).toEqual([]);
  expect(what?.text).toContain('waits for an approval');
  expect(since).toMatchObject({ text: 'Waits since', at: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(tried?.text).toContain('Release 2 serves meanwhile');
  const admins = await own()
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('app_user.name')
    .where('membership.role', 'in', ['admin', 'owner'])
    .execute();
  expect(admins.length).toBeGreaterThan(0);
  for (const { name } of admins.slice(0, 1)) expect(who?.text).toContain(name);
  expect(how?.text).toContain(`./ballast approve ${approval.id}`);
  // Another may decide, so the person who requested it may not.
  const requester = await seedMember(api.database, ours.organizationId, 'admin', 'Aaron Requester');
  const asked = own().updateTable('approval').where('id', '=', approval.id);
  await asked.set({ answerable_id: null, requested_by_id: requester, authors: null }).execute();
  const whoOf = async () => (await why(`/deployments/${deployment.id}/why`))[0]?.lines[3]?.text;
  expect(await whoOf()).not.toContain('Aaron Requester');
  await asked.set({ requested_by_id: 'somebody-else' }).execute();
  expect(await whoOf()).toContain('Aaron Requester');
});

test('of an environment the failed one comes first, then those that wait, each with what holds it', async () => {
  const place = await seedPlace(api.database, ours.organizationId, { concurrency: 1 });
  const other = await seedPlace(api.database, ours.organizationId, { beside: place });
  const failed = await start(place, 1);
  await fail(failed);
  const rolling = await start(place, 2);
  await own().updateTable('deployment').set({ state: 'starting', waits_for: null }).where('id', '=', rolling).execute();
  const queued = await start(other, 1);
  const items = await why(`/environments/${place.environmentId}/why`);
  expect(items.map(({ deploymentId }) => deploymentId)).toEqual([failed, queued, rolling]);
  const [one, two] = items.map(({ lines }) => lines.map(({ text }) => text));
  expect(one).toMatchObject([
    expect.stringMatching(/: it failed\. It did not become healthy\. It did not answer\.$/),
    'Ended',
    expect.stringContaining('web-1 (web) ended with exit code 3: no DB_URL'),
    expect.any(String),
    expect.stringContaining(`./ballast replay ${failed}`),
  ]);
  expect(two?.[3]).toContain('release 2 of');
  expect(two?.[4]).toContain(`./ballast cancel ${rolling}`);
  const ofService = `/services/${other.serviceId}/why?environmentId=${place.environmentId}`;
  expect((await why(ofService)).map(({ deploymentId }) => deploymentId)).toEqual([queued]);
});

test('once a later one is live nothing is left to explain; at most five are told', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  await fail(await start(place, 1));
  const live = await start(place, 2);
  await own()
    .updateTable('deployment')
    .set({ state: 'live', finished_at: new Date() })
    .where('id', '=', live)
    .execute();
  expect(await why(`/environments/${place.environmentId}/why`)).toEqual([]);
  for (let number = 0; number < 6; number += 1) {
    await fail(await start(await seedPlace(api.database, ours.organizationId, { beside: place }), 1));
  }
  expect(await why(`/environments/${place.environmentId}/why`)).toHaveLength(5);
});

test('a token of other projects, and an environment of another project, are 404', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  const other = await seedPlace(api.database, ours.organizationId);
  const id = await start(place, 1);
  const limited = await seedToken(api.database, ours.organizationId, 'deployer', [other.projectId]);
  const paths = [`/deployments/${id}/why`, `/environments/${place.environmentId}/why`];
  for (const path of paths) expect((await api.call('GET', `/api/v1${path}`, { as: limited })).status).toBe(404);
  const mixed = `/api/v1/services/${place.serviceId}/why?environmentId=${other.environmentId}`;
  expect((await api.call('GET', mixed, { as: ours.tokens.viewer })).status).toBe(404);
});
