import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { fileApi } from '../../test/api/own-api.ts';
import { awaitingApproval } from '../../test/builds/awaiting-approval.ts';
import { seedBuildThere } from '../../test/builds/seed-build-there.ts';
import { seedDeployment, seedRelease } from '../../test/seeds/seed-place.ts';

const api = await fileApi();

async function world() {
  const ours = await api.organization();
  const place = await ours.place();
  const told = async (as = ours.tokens.viewer) => {
    const body = ok(await as.get('/attention'));
    return (body.items as { kind: string }[]).filter(({ kind }) => kind.startsWith('build.'));
  };
  const why = async (path = `/environments/${place.environmentId}/why`) => {
    const { status, body, text } = await ours.tokens.viewer.get(path);
    expect(status, text).toBe(200);
    return body.unbuilt as { buildId: string; lines: { topic: string; text: string }[] }[];
  };
  /** Above what serves, the console shows the same. */
  const unresolved = async () => {
    const query = `unresolved=true&environmentId=${place.environmentId}&serviceId=${place.serviceId}`;
    const body = ok(await ours.tokens.viewer.get(`/builds?${query}`));
    return (body.items as { number: number }[]).map(({ number }) => number);
  };
  /** A release that went live, by default after all builds that there are. */
  const live = async (releaseId: string, at = new Date(Date.now() + 60_000)) => {
    const { organizationId, serviceId } = place;
    const id = await seedDeployment(api.database, place, releaseId, { finished_at: at });
    await api.sql`update environment_service set live_release_id = ${releaseId}, live_deployment_id = ${id}, live_at = ${at}
      where organization_id = ${organizationId} and service_id = ${serviceId}`;
  };
  const release = async (number: number, made = {}) => (await seedRelease(api.database, place, number, { made })).id;
  const source = (kind: string) =>
    api.sql`update environment_service set settings = jsonb_set(settings::jsonb, '{source,kind}', to_jsonb(${kind}::text))
      where service_id = ${place.serviceId}`;
  await source('git');
  return {
    ours,
    place,
    told,
    unresolved,
    why,
    live,
    release,
    source,
    build: seedBuildThere.bind(undefined, api.database, place),
  };
}

test('a failed build is one item with the way to its log until a newer one succeeds, whatever is cancelled or runs since', async () => {
  const { told, build, ours } = await world();
  await build({ number: 1, state: 'succeeded' });
  expect(await told()).toEqual([]);
  await build({ number: 2, state: 'failed', message: 'The step "install" failed.' });
  const id = await build({ number: 3, state: 'failed', message: 'The step "build" failed.' });
  await build({ number: 4, state: 'cancelled', message: 'Cancelled by Ada.' });
  await build({ number: 5, state: 'superseded' });
  await build({ number: 6, state: 'running' });
  expect(await told()).toEqual([
    {
      ...{ key: `build.failed ${id}`, kind: 'build.failed', name: expect.any(String) },
      detail: 'The step "build" failed.',
      build: { id, number: 3, logLines: 7, environmentName: 'Staging', projectName: expect.any(String) },
    },
  ]);
  await api.sql`update build set state = 'succeeded', finished_at = now() where organization_id = ${ours.organizationId}
    and number = 6`;
  expect(await told()).toEqual([]);
});

test('an image that could not be deployed is told until somebody deploys it', async () => {
  const { told, unresolved, build, live, release } = await world();
  const release_error = 'The environment is frozen.';
  const build_id = await build({ number: 1, state: 'succeeded', release_error });
  expect(await told()).toMatchObject([{ kind: 'build.not-deployed', detail: release_error }]);
  expect(await unresolved()).toEqual([1]);
  await live(await release(1));
  expect(await unresolved(), 'other settings of what serves').toEqual([1]);
  await live(await release(2, { build_id }));
  expect([await told(), await unresolved()]).toEqual([[], []]);
  await live(await release(3));
  expect([await told(), await unresolved()], 'a rollback, or other settings, after it').toEqual([[], []]);
});

test.each([
  ['failed', { state: 'failed', message: 'No.' }],
  ['was not deployed', { state: 'succeeded', release_error: 'No.' }],
] as const)('a build that %s is told until a promoted release goes live after it', async (_, ended) => {
  const { told, unresolved, build, live, release } = await world();
  const promoted_from_release_id = await release(1);
  await live(await release(2, { promoted_from_release_id }), new Date(Date.now() - 60_000));
  await build({ number: 1, ...ended });
  expect(await told(), 'promoted before').toHaveLength(1);
  expect(await unresolved()).toEqual([1]);
  await live(await release(3, { promoted_from_release_id }), new Date(Date.now() + 60_000));
  expect([await told(), await unresolved()]).toEqual([[], []]);
  await live(await release(4), new Date(Date.now() + 120_000));
  expect([await told(), await unresolved()], 'other settings after it').toEqual([[], []]);
});

test('an image of elsewhere that went live later takes the place of a failed build', async () => {
  const { place, told, unresolved, build, live, source } = await world();
  await build({ number: 1, state: 'failed', message: 'No.' });
  await live((await seedRelease(api.database, place, 1)).id);
  expect(await told()).toHaveLength(1);
  await source('image');
  expect([await told(), await unresolved()]).toEqual([[], []]);
});

test('why says that a service has no release because its build failed, and how to build it again', async () => {
  const { place, why, build, live, ours } = await world();
  expect(await why()).toEqual([]);
  const message = 'The step "install" failed with exit code 1. Its last lines:\nnpm error code E404';
  await build({ number: 1, state: 'failed', message });
  const buildId = await build({ number: 2, state: 'failed', message });
  const [told] = await why();
  expect(told).toMatchObject({ buildId });
  const lines = Object.fromEntries(told?.lines.map(({ topic, text }) => [topic, text]) ?? []);
  expect(lines.what).toMatch(
    / has no release in Staging: build #2 failed\. The step "install" failed with exit code 1\.$/,
  );
  expect(lines.how).toContain(`./ballast build retry ${buildId}`);
  expect(lines.tried).toBe('Built 2 times there.');
  expect(await why(`/services/${place.serviceId}/why?environmentId=${place.environmentId}`)).toHaveLength(1);
  const running = await build({ number: 3, state: 'running' });
  expect(await why()).toEqual([]);
  await api.sql`delete from build where organization_id = ${ours.organizationId} and id = ${running}`;
  await live((await seedRelease(api.database, place, 1)).id);
  expect(await why()).toEqual([]);
});

test('variables of before builds were told apart are named until a build was made without them', async () => {
  const { ours, place, told, build } = await world();
  const { environmentId: environment_id, serviceId: service_id } = place;
  const variable = { environment_id, service_id, updated_by: 'Ada', value: 'x' };
  await ours.rows.add('variable', ...['A', 'B', 'C', 'D', 'E', 'F'].map((key) => ({ ...variable, key })));
  expect(await told()).toEqual([]);
  await build({ number: 1, state: 'succeeded' });
  expect(await told()).toMatchObject([
    {
      kind: 'build.fewer-variables',
      detail: 'Its next build does not see A, B, C, D, E and 1 more: give those that it needs to builds.',
    },
  ]);
  await build({ number: 2, state: 'succeeded', variables_digest: 'of none' });
  expect(await told()).toEqual([]);
});

test('values of builds that changed since are told while nothing is built of them, and builds that wait for an admin to admins', async () => {
  const { ours, place, told, build } = await world();
  const started_at = new Date(Date.now() - 60_000);
  await build({ number: 1, state: 'succeeded', variables_digest: 'of some', started_at });
  await awaitingApproval(api.database, place);
  expect(await told()).toMatchObject([
    { kind: 'build.values-changed', detail: expect.stringMatching(/^VITE_API changed since/) },
  ]);
  const id = await build({ number: 2, state: 'queued' });
  expect(await told()).toEqual([]);
  expect(await told(ours.tokens.admin)).toMatchObject([
    { kind: 'build.awaits-approval', build: { id }, detail: 'Asked for by Ada.' },
  ]);
});
