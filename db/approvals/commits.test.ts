import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { tenant } from '../postgres/tenant.ts';
import { findApproval } from './approvals.ts';
import { commitsOf } from './commits.ts';

const fresh = await freshDatabase();
const organizationId = await seedOrganization(fresh.database);
afterAll(() => fresh.drop());

/** A release, with the commit that it was built of and the title of its change set. */
async function release(
  place: SeededPlace,
  number: number,
  of: { sha?: string; title?: string; from?: string; buildId?: string } = {},
) {
  const { database } = fresh;
  const { id, digest } = await seedRelease(database, place, number);
  const changeSetId = of.title === undefined ? null : uuid();
  const { projectId, environmentId } = place;
  if (changeSetId !== null) {
    const row = { id: changeSetId, project_id: projectId, environment_id: environmentId, title: of.title };
    await tenantRow(database, 'change_set', organizationId, { ...row, state: 'applied', source: 'api' });
  }
  await tenant(database.kysely, organizationId)
    .updateTable('release')
    .set({ git_commit_sha: of.sha ?? null, change_set_id: changeSetId, promoted_from_release_id: of.from ?? null })
    .set({ build_id: of.buildId ?? null })
    .where('id', '=', id)
    .execute();
  return { id, digest };
}

async function approvalOf(place: SeededPlace, { id, digest }: { id: string; digest: string }) {
  const { projectId, environmentId, serviceId } = place;
  const approvalId = uuid();
  await tenantRow(fresh.database, 'approval', organizationId, {
    ...{ id: approvalId, project_id: projectId, environment_id: environmentId, kind: 'promote' },
    target: JSON.stringify({ releases: [{ serviceId, releaseId: id, contentDigest: digest }] }),
    expires_at: new Date(Date.now() + 3_600_000),
  });
  const approval = await findApproval(fresh.database.kysely, organizationId, approvalId);
  if (approval === undefined) throw new Error('There is no approval.');
  return await commitsOf(fresh.database.kysely, approval);
}

test('of a promotion: each commit once, newest first, after the live release and up to the one whose image it takes', async () => {
  const place = await seedPlace(fresh.database, organizationId);
  const live = await release(place, 1, { sha: 'a'.repeat(40), title: 'Live already' });
  await tenant(fresh.database.kysely, organizationId)
    .updateTable('environment_service')
    .set({ live_release_id: live.id })
    .where('service_id', '=', place.serviceId)
    .execute();
  await release(place, 2, { sha: 'b'.repeat(40), title: 'Charge in euros' });
  await release(place, 3, { sha: 'b'.repeat(40), title: 'The same, with another setting' });
  const origin = await release(place, 4, { sha: 'c'.repeat(40) });
  await release(place, 5, { sha: 'd'.repeat(40), title: 'Later than what is promoted' });
  const promoted = await release(place, 6, { sha: 'c'.repeat(40), from: origin.id });
  const { commits, withoutCommits } = await approvalOf(place, promoted);
  expect(commits.map(({ sha, message }) => [sha[0], message])).toEqual([
    ['c', ''],
    ['b', 'The same, with another setting'],
  ]);
  expect(withoutCommits).toEqual([]);
});

test('settings that are changed bring no commit that is live already', async () => {
  const place = await seedPlace(fresh.database, organizationId);
  const live = await release(place, 1, { sha: 'a'.repeat(40) });
  await tenant(fresh.database.kysely, organizationId)
    .updateTable('environment_service')
    .set({ live_release_id: live.id })
    .where('service_id', '=', place.serviceId)
    .execute();
  expect(await approvalOf(place, await release(place, 2, { sha: 'a'.repeat(40) }))).toEqual({
    ...{ commits: [], withoutCommits: [] },
  });
});

test('a release that names no commit is named, with what those before it name', async () => {
  const place = await seedPlace(fresh.database, organizationId);
  await release(place, 1, { sha: 'a'.repeat(40), title: 'First' });
  const { commits, withoutCommits } = await approvalOf(place, await release(place, 2));
  expect(commits.map(({ message }) => message)).toEqual(['First']);
  expect(withoutCommits).toEqual([{ id: place.serviceId, name: expect.stringMatching(/^s-/), built: false }]);
});

test.each(['deployed', 'promoted'])(
  'of a folder that was built here it is said that it was, where it is %s',
  async (how) => {
    const place = await seedPlace(fresh.database, organizationId);
    const built = await release(place, 1, { buildId: uuid() });
    const deployed = how === 'deployed' ? built : await release(place, 2, { from: built.id });
    expect((await approvalOf(place, deployed)).withoutCommits).toMatchObject([{ id: place.serviceId, built: true }]);
  },
);
