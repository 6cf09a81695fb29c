import { beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../../db/builds/build-variables.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import { at, created, liveFrom, promoteTo, promotions } from '../../../test/api/promotions.ts';
import { seedBuildThere } from '../../../test/builds/seed-build-there.ts';
import { imageDigests } from '../../../test/seeds/apply-ground.ts';

const { call, create, releaseOf, variable } = at;

promotions();

let clusterId: string;
beforeEach(async () => {
  clusterId = (await at.ours.place()).clusterId;
  await at.ours.rows.set('environment', { project_id: at.projectId }, { cluster_id: clusterId });
});

const seen = (value: string) => variable('VITE_API', value, { buildTime: 'also' });

/** A release in staging whose image was built with these variables. */
async function builtWith(variables: Record<string, string> | null): Promise<string> {
  at.tagged = imageDigests[1];
  const releaseId = await liveFrom(at.staging, create(), seen('https://staging.example.com'));
  const { organizationId } = at.ours;
  const place = { organizationId, projectId: at.projectId, environmentId: at.staging, clusterId };
  const its = { ...place, serviceId: at.service.serviceId, processId: at.service.processId };
  const id = await seedBuildThere(at.api.database, its, { number: 1, state: 'succeeded', release_id: releaseId });
  const digest = variables === null ? null : await digestOf(at.api.keyring, organizationId, variables);
  await at.ours.rows.set('build', { id }, { variables_digest: digest });
  const of = { build_id: id, git_commit_sha: 'c'.repeat(40) };
  await at.ours.rows.set('release', { id: releaseId }, of);
  return releaseId;
}

test.each([
  ['other values', { VITE_API: 'https://staging.example.com' }, () => seen('https://example.com')],
  ['no such variable', { VITE_API: 'https://staging.example.com' }, () => variable('VITE_API', 'of run time')],
  ['nobody knows which', null, () => seen('https://staging.example.com')],
])('an image that was built with %s is not promoted, and its commit can be built there', async (_, given, there) => {
  await liveFrom(at.production, create(), there());
  const { status, body } = await promoteTo(at.production, await builtWith(given));
  expect([status, body.detail]).toEqual([
    409,
    expect.stringContaining(`\`./ballast build create --environment production --commit ${'c'.repeat(40)}\``),
  ]);
});

test('settings that are applied later change nothing of what the image was built with', async () => {
  await liveFrom(at.production, create(), seen('https://example.com'));
  await builtWith({ VITE_API: 'https://staging.example.com' });
  const later = await liveFrom(at.staging, variable('OTHER', '1'));
  expect(await releaseOf(later)).toMatchObject({ gitCommitSha: 'c'.repeat(40), buildId: expect.any(String) });
  expectProblem(await promoteTo(at.production, later, { missingAccepted: true }), 409, 'was built with the variables');
});

test('one that is held is held to the values of builds when it is refreshed, too', async () => {
  await liveFrom(at.production, create(), seen('https://staging.example.com'));
  const release = await builtWith({ VITE_API: 'https://staging.example.com' });
  const more = { variables: [{ key: 'OTHER', value: '1' }] };
  const { approval } = await created(at.production, release, more);
  await liveFrom(at.production, seen('https://example.com'));
  const again = await call('POST', `/approvals/${approval?.id}/refresh`, {}, at.ours.sessions.owner);
  expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining('was built with the variables')]);
});

test('the first promotion brings the values of builds along, and refuses others', async () => {
  const release = await builtWith({ VITE_API: 'https://staging.example.com' });
  const other = { variables: [{ key: 'VITE_API', value: 'https://example.com' }] };
  expect(await promoteTo(at.production, release, other)).toMatchObject({ status: 409 });
  expect((await created(at.production, release)).deployment.kind).toBe('change-set');
});

test.each([
  ['the same values', { VITE_API: 'https://example.com' }, () => seen('https://example.com')],
  ['nothing here and there', {}, () => variable('VITE_API', 'of run time')],
  ['nobody knows which, and nothing is given there', null, () => variable('VITE_API', 'of run time')],
])('one that was built with %s is', async (_, given, there) => {
  await liveFrom(at.production, create(), there());
  expect((await created(at.production, await builtWith(given))).deployment.kind).toBe('promote');
});
