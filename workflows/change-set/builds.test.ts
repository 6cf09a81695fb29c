import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { cancelBuild } from '../../db/builds/cancel-build.ts';
import type { CommitSource } from '../../db/builds/request-build.ts';
import { type Applied, applyDraft } from '../../db/change-sets/apply/apply-draft.ts';
import { cancelChangeSet, servicesToRetry } from '../../db/change-sets/retry.ts';
import { stage } from '../../db/change-sets/stage.ts';
import { admit } from '../../db/deployments/admission.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { noSource, type ServiceSource } from '../../domain/services/settings.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

const { run } = builds;
const by = { id: 'tester', name: 'Tester' };
const digest = `sha256:${'a'.repeat(64)}`;
const source: ServiceSource = { ...noSource, kind: 'git', gitUrl: 'https://git.example.com/team/app.git' };
const commit: CommitSource = {
  ...{ kind: 'git', url: source.gitUrl, repository: 'team/app', ref: 'refs/heads/main' },
  ...{ commit: '1'.repeat(40), commitMessage: 'First' },
};
const reference = 'registry.example.com/web:1';
const image = {
  image: { repository: 'registry.example.com/web', digest, own: false },
  ...{ imageRef: reference, platforms: null, reference },
};
const own = () => tenant(builds.actors.database.kysely, builds.organizationId);

/** An image is made of a repository for `api`, of which `web`, whose image is there, needs an address. */
async function two(given: { production?: boolean } = {}): Promise<{ api: SeededPlace; web: SeededPlace }> {
  const api = await builds.place(given);
  const web = await builds.place({ beside: api });
  const service = await own().selectFrom('service').select('slug').where('id', '=', api.serviceId).executeTakeFirst();
  await run((staging) =>
    stage(
      staging,
      builds.actors.keyring,
      api,
      [
        { kind: 'service.set', serviceId: api.serviceId, key: 'source', to: source },
        {
          kind: 'service.set',
          serviceId: web.serviceId,
          key: 'source',
          to: { ...noSource, imageRepository: reference },
        },
        { kind: 'service.set', serviceId: web.serviceId, key: 'dependsOn', to: [service?.slug ?? ''] },
      ],
      by,
    ),
  );
  return { api, web };
}

interface Set extends Applied {
  id: string;
  build: string;
  member: string;
}

/** `told`: as if a worker were up. */
async function apply(
  { api, web }: { api: SeededPlace; web: SeededPlace },
  { production = false, told = true } = {},
): Promise<Set> {
  const draft = await own()
    .selectFrom('draft')
    .select('id')
    .where('environment_id', '=', api.environmentId)
    .executeTakeFirstOrThrow();
  const applied = await run((applying) =>
    applyDraft(applying, builds.actors.keyring, { ...api, production }, new Map([[web.serviceId, image]]), {
      ...{ changeSetId: draft.id, title: 'Both', reason: '', source: 'api', downtimeAccepted: false },
      ...{ answerableId: undefined, commits: new Map([[api.serviceId, { source, commit }]]) },
    }),
  );
  if (told) await builds.actors.delivery.deliver(actorId('change-set', draft.id));
  const [build, member] = [applied.builds[0]?.id ?? '', applied.deployments[0]?.id ?? ''];
  if (told) await builds.deliver(build);
  return { ...applied, id: draft.id, build, member };
}

const deployment = async (id: string) =>
  await own()
    .selectFrom('deployment')
    .select(['state', 'waits_for as blocker', 'message', 'change_set_id as changeSetId', 'kind'])
    .where('id', '=', id)
    .executeTakeFirst();
const changeSet = async (id: string) =>
  await own().selectFrom('change_set').select(['state', 'message']).where('id', '=', id).executeTakeFirstOrThrow();
const ended = async (id: string): Promise<string> => {
  await builds.actors.delivery.deliver(actorId('change-set', id));
  return await builds.actors.temporal.client.workflow.getHandle(actorId('change-set', id)).result();
};

/** Without its actor: claimed, and what its agent would say. */
const finish = async ({ organizationId, projectId }: SeededPlace, id: string, state: 'live' | 'failed') => {
  const project = { organizationId, projectId };
  await run((one) => admit(one, project, { event: 'claim', id }));
  await run((one) => admit(one, project, { event: 'finish', id, state }));
};

const built = async ({ api }: { api: SeededPlace }, id: string) => {
  await builds.becomes(id, 'running');
  await builds.pushed(api, digest);
  await builds.says(id, 0, { progress: { image: { digest } } });
  await builds.ends(id, 'done');
  await builds.handle(id).result();
};

test('an image that is made first is deployed within the change set, before what depends on it', async () => {
  const places = await two();
  const { id, build, member, firstDeploys, unreleasedServiceIds } = await apply(places);
  const { api, web } = places;
  expect(firstDeploys).toEqual([
    { deploymentId: member, serviceId: web.serviceId },
    { buildId: build, serviceId: api.serviceId },
  ]);
  expect(unreleasedServiceIds).toEqual([]);
  expect(await deployment(member)).toMatchObject({ state: 'pending', blocker: 'build' });
  expect(await builds.row(build)).toMatchObject({ trigger: 'change-set', commitSha: commit.commit });
  await built(places, build);
  expect(await builds.row(build)).toMatchObject({ deploymentId: build, releaseError: null });
  expect(await deployment(build)).toMatchObject({ state: 'pending', kind: 'change-set', changeSetId: id });
  expect(await deployment(member)).toMatchObject({ state: 'pending', blocker: 'dependency' });
  expect((await changeSet(id)).state).toBe('applying');
  await finish(api, build, 'live');
  expect(await deployment(member)).toMatchObject({ state: 'pending', blocker: null });
  await finish(web, member, 'live');
  expect(await ended(id)).toBe('applied');
});

test('a build that fails ends what depends on it, and the change set says what was not built; both are left to retry', async () => {
  const places = await two();
  const { id, build, member } = await apply(places);
  await builds.becomes(build, 'running');
  await builds.ends(build, 'failed', 'The step install ended with code 1.');
  await builds.handle(build).result();
  const { message, ...ending } = (await deployment(member)) ?? {};
  expect(ending).toMatchObject({ state: 'cancelled', blocker: 'dependency' });
  expect(message).toMatch(/"s-[^"]+", on which it depends, did not go live/);
  expect(await ended(id)).toBe('failed');
  expect((await changeSet(id)).message).toMatch(/^Not built: s-\w+\. Not live: s-\w+\.$/);
  const { api, web } = places;
  const set = { ...api, id, state: 'failed', title: '', appliedAt: new Date() } as const;
  const left = await servicesToRetry(builds.actors.database.kysely, set);
  expect(left.toSorted()).toEqual([api.serviceId, web.serviceId].toSorted());
});

test('what nobody may deploy is built all the same, and ends what depends on it', async () => {
  const places = await two();
  const { id, build, member } = await apply(places);
  await own()
    .updateTable('environment_service')
    .set({ suspended: true })
    .where('service_id', '=', places.api.serviceId)
    .execute();
  await built(places, build);
  expect((await builds.row(build)).releaseError).toMatch(/suspended/);
  expect(await deployment(member)).toMatchObject({ state: 'cancelled' });
  expect(await ended(id)).toBe('failed');
  expect((await changeSet(id)).message).toMatch(/^Built, but not deployed: s-/);
});

test('a queued build that somebody cancels ends what depends on it, at once and before any actor is told', async () => {
  const places = await two();
  const { id, build, member } = await apply(places, { told: false });
  await run((cancelling) => cancelBuild(cancelling, build, 'api'));
  expect(await deployment(member)).toMatchObject({ state: 'cancelled', blocker: 'dependency' });
  expect(await ended(id)).toBe('cancelled');
});

test('a change set that is cancelled cancels its builds', async () => {
  const places = await two();
  const { id, build } = await apply(places);
  await builds.becomes(build, 'running');
  const set = { ...places.api, id, state: 'applying', title: '', appliedAt: new Date() } as const;
  expect(await run((one) => cancelChangeSet(one, builds.actors.keyring, set, by))).toBe(2);
  await builds.ends(build, 'cancelled');
  expect(await builds.handle(build).result()).toBe('cancelled');
  expect(await ended(id)).toBe('cancelled');
});

test('in production nothing is built before it is approved, and what is built then needs no other approval', async () => {
  const places = await two({ production: true });
  const { id, build, member, approvalId = '' } = await apply(places, { production: true });
  await until('it waits', async () => (await builds.row(build)).message !== null);
  expect(await builds.row(build)).toMatchObject({
    ...{ state: 'queued', message: 'Waits for the approval of its change set.' },
  });
  const { organizationId, projectId } = places.api;
  const approval = { id: approvalId, organizationId, projectId };
  await run((one) => decideApproval(one, builds.actors.keyring, approval, { decision: 'approved' }));
  await builds.deliver(build);
  expect(await deployment(member)).toMatchObject({ state: 'pending', blocker: 'build' });
  await built(places, build);
  expect(await deployment(build)).toMatchObject({ state: 'pending', blocker: null });
  await finish(places.api, build, 'live');
  await finish(places.web, member, 'live');
  expect(await ended(id)).toBe('applied');
});

test('rejected, its build is cancelled, and its changes are staged again', async () => {
  const places = await two({ production: true });
  const { id, build, approvalId = '' } = await apply(places, { production: true });
  const { organizationId, projectId } = places.api;
  const approval = { id: approvalId, organizationId, projectId };
  await run((one) => decideApproval(one, builds.actors.keyring, approval, { decision: 'rejected' }));
  expect(await builds.row(build)).toMatchObject({ state: 'cancelled' });
  expect((await changeSet(id)).state).toBe('rejected');
});
