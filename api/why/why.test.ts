import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit, type NewDeployment } from '../../db/deployments/admission.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi();

const own = () => tenant(api.database.kysely, ours.organizationId);

async function start(place: SeededPlace, number: number, more: Partial<NewDeployment> = {}): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = place;
  const { id: releaseId } = await seedRelease(api.database, place, number);
  const one = { id: uuid(), environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true, ...more };
  await api.effect((starting) =>
    admit(starting, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return one.id;
}

async function why(path: string, by = ours.tokens.viewer) {
  const answer = await by.get(path);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  return answer.body.items as {
    deploymentId: string;
    state: string;
    blocker: string;
    lines: { topic: string; text: string; at?: string }[];
  }[];
}

const fail = (id: string) =>
  ours.rows.set(
    'deployment',
    { id },
    {
      ...{ state: 'failed', waits_for: 'health', message: 'It did not answer.', finished_at: new Date() },
      stages: JSON.stringify([{ stage: 'start', startedAt: new Date().toISOString() }]) as never,
      failure: JSON.stringify({ process: 'web', instance: 'web-1', exit: { code: 3 }, lines: ['no DB_URL'] }) as never,
    },
  );

test('a viewer reads why a rollback waits for its approval: who decides, since when, and the command', async () => {
  const place = await ours.place({ production: true });
  const release = await seedRelease(api.database, place, 1);
  await ours.rows.set(
    'environment_service',
    { service_id: place.serviceId },
    { live_release_id: (await seedRelease(api.database, place, 2)).id },
  );
  const held = await ours.tokens.deployer.post(`/releases/${release.id}/rollback`, {});
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
  const requester = await ours.member('admin', 'Aaron Requester');
  const asked = own().updateTable('approval').where('id', '=', approval.id);
  await asked.set({ answerable_id: null, requested_by_id: requester, authors: null }).execute();
  const whoOf = async () => (await why(`/deployments/${deployment.id}/why`))[0]?.lines[3]?.text;
  expect(await whoOf()).not.toContain('Aaron Requester');
  await asked.set({ requested_by_id: 'somebody-else' }).execute();
  expect(await whoOf()).toContain('Aaron Requester');
});

test('of an environment the failed one comes first, then those that wait, each with what holds it', async () => {
  const place = await ours.place({ concurrency: 1 });
  const other = await ours.place({ beside: place });
  const failed = await start(place, 1);
  await fail(failed);
  const rolling = await start(place, 2);
  await ours.rows.set('deployment', { id: rolling }, { state: 'starting', waits_for: null });
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
  const place = await ours.place();
  await fail(await start(place, 1));
  const live = await start(place, 2);
  await ours.rows.set('deployment', { id: live }, { state: 'live', finished_at: new Date() });
  expect(await why(`/environments/${place.environmentId}/why`)).toEqual([]);
  for (let number = 0; number < 6; number += 1) {
    await fail(await start(await ours.place({ beside: place }), 1));
  }
  expect(await why(`/environments/${place.environmentId}/why`)).toHaveLength(5);
});

test('a token of other projects, and an environment of another project, are 404', async () => {
  const place = await ours.place();
  const other = await ours.place();
  const id = await start(place, 1);
  const limited = await ours.token('deployer', [other.projectId]);
  const paths = [`/deployments/${id}/why`, `/environments/${place.environmentId}/why`];
  for (const path of paths) expect((await limited.get(path)).status).toBe(404);
  const mixed = `/services/${place.serviceId}/why?environmentId=${other.environmentId}`;
  expect((await ours.tokens.viewer.get(mixed)).status).toBe(404);
});
