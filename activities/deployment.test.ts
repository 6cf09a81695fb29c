import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptReport } from '../db/agents/reports.ts';
import { rolloutKey } from '../db/deployments/rollout.ts';
import { tenant } from '../db/postgres/tenant.ts';
import { type Asked, DeploymentGround } from '../test/actors/grounds/deployment-ground.ts';
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

test('a deployment is live whatever visitors of its release get, and keeps what that is', async () => {
  const asked = await at.deploy(await at.place(), 1);
  await at.becomes(asked, 'preparing');
  const warning = { kind: 'host', by: 'django', status: 400, path: '/', host: 'a.localhost' };
  await at.told(asked, 'done', { warnings: [warning] });
  await at.becomes(asked, 'live');
  expect(await at.row(asked)).toMatchObject({ message: null, warnings: [warning] });
});
