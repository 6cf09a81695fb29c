import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptReport } from '../db/agents/reports.ts';
import { rolloutKey } from '../db/deployments/rollout.ts';
import { tenant } from '../db/postgres/tenant.ts';
import { type Asked, DeploymentGround } from '../test/actors/grounds/deployment-ground.ts';
import { seedBuildThere } from '../test/builds/seed-build-there.ts';
import { seedMember } from '../test/seeds/seed.ts';
import { asActor } from '../test/walks/as-actor.ts';

const at = new DeploymentGround();

beforeAll(() => at.open());
afterAll(() => at.close());

/** The actor's look at its rollout, after a report of the agent. */
async function looked(asked: Asked, number: number, rollout: { id: string; phase?: 'releasing'; message?: string }) {
  const { database } = at.actors;
  const { clusterId, environmentId, serviceId, projectId } = asked.place;
  const { organizationId } = at;
  const { incarnation } = await tenant(database.kysely, organizationId)
    .selectFrom('cluster_agent')
    .select('incarnation')
    .where('cluster_id', '=', clusterId)
    .executeTakeFirstOrThrow();
  const slice = {
    ...{ key: rolloutKey(environmentId, serviceId), appliedRevision: 1, instances: [], volumes: [], traffic: [] },
    rollout: { digest: asked.digest, phase: 'preparing' as const, at: {}, ...rollout },
  };
  const report = { number, full: false, appliedRevision: 1, slices: [slice], removed: [] };
  const cluster = { id: clusterId, organizationId };
  await at.run((accepting) => acceptReport(accepting, cluster, incarnation, report, () => false));
  return await asActor(at.actors, asked.id, ({ lookAtRollout }) =>
    lookAtRollout({ deploymentId: asked.id, projectId, organizationId }),
  );
}

test('a deployment says why its agent does not come further, and no longer than that lasts', async () => {
  const asked = await at.deploy(await at.place(), 1);
  await at.becomes(asked, 'preparing');
  const { id } = asked;
  const message = 'web-1 cannot be created yet: no room.';
  expect(await looked(asked, 1, { id, message })).toMatchObject({ waitsFor: 'health', message });
  expect(await at.row(asked)).toMatchObject({ state: 'preparing', waitsFor: 'health', message });
  expect(await looked(asked, 2, { id })).toMatchObject({ waitsFor: '', message: '' });
  // Of the deployment before.
  const other = { id: '0198c0de-0000-7000-8000-000000000001', message };
  expect(await looked(asked, 3, other)).toMatchObject({ waitsFor: '', message: '' });
  expect(await looked(asked, 4, { id, phase: 'releasing', message })).toMatchObject({ waitsFor: 'release-command' });
  await looked(asked, 5, { id, message });
  await at.told(asked, 'done');
  await at.becomes(asked, 'live');
  expect(await at.row(asked)).toMatchObject({ waitsFor: null, message: null });
});

test('a deployment is live whatever visitors of its release get, keeps what that is, and tells it in production', async () => {
  const { database } = at.actors;
  const ada = { kind: 'user' as const, id: await seedMember(database, at.organizationId, 'deployer'), name: 'Ada' };
  const asked = await at.deploy(await at.place({ production: true }), 1, { requestedBy: ada });
  await at.becomes(asked, 'preparing');
  const warning = { kind: 'host', by: 'django', status: 400, path: '/', host: 'a.localhost' };
  const warnings = [warning, { kind: 'of the future' }];
  await at.told(asked, 'done', { warnings });
  await at.becomes(asked, 'live');
  expect(await at.row(asked)).toMatchObject({ message: null, warnings });
  const inbox = await tenant(database.kysely, at.organizationId)
    .selectFrom('notification')
    .select(['kind', 'title', 'body'])
    .where('user_id', '=', ada.id)
    .execute();
  expect(inbox).toEqual([
    {
      kind: 'warning',
      title: expect.stringMatching(/^Release #1 of .* is live in .*, with a warning$/),
      body: expect.stringMatching(
        /only they serve\. Visitors get something else: Django .* ALLOWED_HOSTS in its settings\.$/,
      ),
    },
  ]);
});

/** A deployment of a release whose image a build has made. */
async function built(place: Asked['place'], number: number, requiredVariables: string[], set: string[] = []) {
  const asked = await at.deploy(place, number);
  const detection = { envTemplate: '.env.example', requiredVariables };
  const { database } = at.actors;
  const id = await seedBuildThere(database, place, { number, state: 'succeeded', detection });
  await tenant(database.kysely, at.organizationId)
    .updateTable('release')
    .set({ build_id: id, variable_keys: set })
    .where('service_id', '=', place.serviceId)
    .where('number', '=', number)
    .execute();
  await at.becomes(asked, 'preparing');
  return asked;
}

test('of a program that ended at its start the variables are named first that its template asks for and nobody has set', async () => {
  const place = await at.place();
  const before = await built(place, 1, ['SENTRY_DSN']);
  await at.goLive(before);
  const asked = await built(place, 2, ['DATABASE_URL', 'LEVEL', 'SENTRY_DSN'], ['LEVEL']);
  const message = 'web-1 exited with code 1, 5 times in a row, before it was healthy.';
  const failure = { process: 'web', instance: 'web-1', exit: { code: 1 }, lines: ['no database'] };
  await at.told(asked, 'returned', { message, failure });
  await at.becomes(asked, 'failed');
  const unset = { path: '.env.example', names: ['DATABASE_URL'] };
  expect(await at.row(asked)).toMatchObject({
    ...{ waitsFor: 'health', failure: { ...failure, unset } },
    message: `It may lack DATABASE_URL, which .env.example asks for and nobody has set: \`./ballast var set KEY=VALUE\`, then \`./ballast deploy --staged\`. ${message}`,
  });
});

test.each([
  ['did not end', { process: 'web', instance: 'web-1', lines: [] }],
  ['was ended by a signal', { process: 'web', instance: 'web-1', exit: { signal: 'SIGKILL' }, lines: [] }],
])('a program that %s lacks nothing that is known of', async (_, failure) => {
  const asked = await built(await at.place(), 1, ['DATABASE_URL']);
  await at.told(asked, 'returned', { message: 'It failed.', failure });
  await at.becomes(asked, 'failed');
  expect(await at.row(asked)).toMatchObject({ message: 'It failed.', failure });
});
