import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { effect } from '../../db/engine/effect.ts';
import { createConnection } from '../../db/git-connections/connections.ts';
import { takeDelivery } from '../../db/git-connections/pushes.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findRelease } from '../../db/releases/releases.ts';
import { deliveryOf } from '../../domain/git/webhooks/delivery.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { giveRepository } from '../../test/builds/give-repository.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

const digest = `sha256:${'a'.repeat(64)}`;
const commit = 'c'.repeat(40);
const own = () => tenant(builds.actors.database.kysely, builds.organizationId);

/** What a push of `main` leads to at the place, once the agent has built it. */
async function pushedTo(place: SeededPlace) {
  const { database, keyring } = builds.actors;
  const { organizationId } = builds;
  const repository = `team/app-${place.serviceId}`;
  const made = {
    ...({ kind: 'selfhosted-token', provider: 'github' } as const),
    ...{ host: 'git.example.com', label: `Git ${place.serviceId}`, token: 'swordfish' },
    ...{ accountLogin: '', missingPermissions: [] },
  };
  const { id } = await builds.run((making) => createConnection(making, keyring, organizationId, made));
  await giveRepository(database, place, { gitConnectionId: id, repository });
  const { provider, host, label } = made;
  const told = deliveryOf(
    provider,
    { 'x-github-event': 'push' },
    {
      ...{ ref: 'refs/heads/main', after: commit, repository: { full_name: repository }, pusher: { name: 'ada' } },
      head_commit: { id: commit, message: 'Say hello' },
    },
  );
  const author = { kind: 'machine', id: `git/${id}`, name: 'Git push by ada' } as const;
  const taken = await effect(database, author, (taking) =>
    takeDelivery(taking, { id, organizationId, provider, host, label }, 'once', told, { defaultBranch: 'main' }),
  );
  const build = String(taken.builds[0]?.id);
  await builds.deliver(build);
  await builds.becomes(build, 'running');
  await builds.pushed(place, digest);
  await builds.says(build, 0, { progress: { image: { digest } } });
  await builds.ends(build, 'done');
  expect(await builds.handle(build).result()).toBe('succeeded');
  const row = await builds.row(build);
  const release = await findRelease(database.kysely, organizationId, row.releaseId ?? '');
  expect(release).toMatchObject({ buildId: build, gitCommitSha: commit });
  const deployment =
    row.deploymentId === null ? undefined : await findDeployment(database.kysely, organizationId, row.deploymentId);
  return { releaseError: row.releaseError, deployment };
}

test('in production the deployment of a push is held until somebody approves it', async () => {
  const { releaseError, deployment } = await pushedTo(await builds.place({ production: true }));
  expect(releaseError).toBeNull();
  expect(deployment).toMatchObject({
    state: 'pending',
    approvalId: expect.any(String),
    requestedBy: 'Git push by ada',
  });
  const approval = await own()
    .selectFrom('approval')
    .select(['decision', 'reason'])
    .select('requested_by_name as by')
    .where('deployment_id', '=', deployment?.id ?? '')
    .executeTakeFirst();
  expect(approval).toEqual({ decision: null, reason: 'Build #1', by: 'Git push by ada' });
});

test('elsewhere it is deployed', async () => {
  const { releaseError, deployment } = await pushedTo(await builds.place());
  expect(releaseError).toBeNull();
  expect(deployment).toMatchObject({ kind: 'deploy', approvalId: null });
});

test('of a service that is suspended there is a release, no deployment, and the reason', async () => {
  const place = await builds.place();
  await own()
    .updateTable('environment_service')
    .set({ suspended: true })
    .where('service_id', '=', place.serviceId)
    .execute();
  const { releaseError, deployment } = await pushedTo(place);
  expect(deployment).toBeUndefined();
  expect(releaseError).toBe('The service is suspended here: resume it, then deploy the release.');
});

test('without automatic deployment there is a release that a person can deploy, and nothing went wrong', async () => {
  const place = await builds.place();
  await own().updateTable('environment').set({ auto_deploy: false }).where('id', '=', place.environmentId).execute();
  expect(await pushedTo(place)).toEqual({ releaseError: null, deployment: undefined });
});
