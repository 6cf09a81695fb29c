import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { lockBuild, openBuilds, refusedTurn } from '../../db/builds/claim.ts';
import { noSource } from '../../domain/services/settings.ts';
import { awaitingApproval } from '../../test/builds/awaiting-approval.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { type Pushed, pushOf, webhookGround } from '../../test/git/webhook-ground.ts';
import { type Credential, seedSession, seedToken } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../../test/seeds/seed-place.ts';

let pushed: Pushed;
let place: SeededPlace;

const at = await webhookGround();
afterAll(() => at.close());
beforeEach(async () => {
  pushed = await at.repository();
  place = pushed.place;
  await awaitingApproval(at.api.database, place);
});

const call = (method: string, path: string, body?: unknown, as: Credential = at.ours.sessions.deployer) =>
  at.api.as(as).call(method, path, body);
const made = async (body: object, as?: Credential) => {
  const answered = await call(
    'POST',
    `/services/${place.serviceId}/builds`,
    { environmentId: place.environmentId, ...body },
    as,
  );
  expect(answered.status, answered.text).toBe(201);
  return answered.body as { id: string; awaitsApproval: boolean; approvedBy?: { name: string } };
};
const folder = async () => ({ sourceId: await seedSource(at.api.database, place) });
const approve = (id: string, as: Credential) => call('POST', `/builds/${id}/approve`, undefined, as);
const awaits = async (id: string) => (await call('GET', `/builds/${id}`)).body.awaitsApproval;

/** As its actor asks: whether it is among those that get turns, and why it is not. */
const turnOf = (id: string) =>
  at.api.effect(async (asking) => {
    const build = await lockBuild(asking, id);
    if (build === undefined) throw new Error('The build is not there.');
    const open = await openBuilds(asking, build.clusterId);
    return { open: open.some((one) => one.id === id), why: await refusedTurn(asking, build) };
  });

test('a folder waits in production until an admin who did not ask for it approves, and its retry needs no other', async () => {
  const { id, awaitsApproval } = await made(await folder(), at.ours.sessions.admin);
  expect(awaitsApproval).toBe(true);
  expect(await turnOf(id)).toEqual({
    open: false,
    why: expect.stringMatching(/^Waits for the approval of an admin: production gives VITE_API to builds/),
  });
  const told = async (as: Credential) =>
    ((await call('GET', '/notifications', undefined, as)).body.items as { title: string; body: string }[])
      .filter(({ title }) => title.startsWith('Approval needed: build #'))
      .map(({ body }) => body);
  expect(await told(at.ours.sessions.owner)).toEqual([
    expect.stringMatching(/ asks to build a folder, which is not the head .* would see VITE_API\.$/),
  ]);
  for (const as of [at.ours.sessions.admin, at.ours.sessions.deployer]) expect(await told(as)).toEqual([]);
  for (const [as, status] of [
    [at.ours.sessions.deployer, 403],
    [at.ours.tokens.deployer, 403],
    [at.ours.sessions.admin, 403],
  ] as const)
    expect((await approve(id, as)).status).toBe(status);
  const approved = await approve(id, at.ours.sessions.owner);
  expect(approved.body).toMatchObject({ awaitsApproval: false, approvedBy: { id: at.ours.sessions.owner.userId } });
  expect((await turnOf(id)).open).toBe(true);
  expect((await approve(id, at.ours.sessions.owner)).status).toBe(409);
  await call('POST', `/builds/${id}/cancel`);
  const retry = await call('POST', `/builds/${id}/retry`);
  expect(retry.body).toMatchObject({ awaitsApproval: false, approvedBy: { id: at.ours.sessions.owner.userId } });
  expect(await told(at.ours.sessions.owner)).toHaveLength(1);
  const audit = await call('GET', '/audit-log?action=build.approved', undefined, at.ours.sessions.admin);
  expect(audit.body.items).toMatchObject([{ details: { variables: ['VITE_API'] } }]);
});

test('the head of the connected branch needs none, by whom it may be asked for; any other commit, branch or tag does', async () => {
  const { repository, commit } = pushed;
  const other = await at.git.commit(`${repository}.git`, { 'index.html': 'Other' }, { branch: 'feature' });
  expect((await made({})).awaitsApproval).toBe(false);
  expect((await made({ commitSha: commit })).awaitsApproval).toBe(false);
  expect((await made({ commitSha: 'f'.repeat(40) })).awaitsApproval).toBe(true);
  expect((await made({ branch: 'feature' })).awaitsApproval).toBe(true);
  expect((await made({ branch: 'feature', commitSha: other })).awaitsApproval).toBe(true);
  await at.api.rows.set('environment', { id: place.environmentId }, { git_branch: 'main' });
  expect((await made({ branch: 'main' })).awaitsApproval).toBe(false);
  // Somebody has asked for the commit before it was pushed there: the push takes the place of that.
  expect((await made({ commitSha: other })).awaitsApproval).toBe(true);
  await at.git.git(`${repository}.git`, 'update-ref', 'refs/heads/main', other);
  const sent = await at.send(pushOf({ ...pushed, commit: other }));
  const [built] = await at.buildsOf(place);
  expect(sent.body.builds, sent.text).toHaveLength(1);
  expect(built).toMatchObject({ trigger: 'push', awaitsApproval: false });
});

test('where production gives nothing to builds, and in other environments, nobody is asked', async () => {
  const { id } = await made(await folder());
  await at.api.rows.set('environment', { id: place.environmentId }, { production: false });
  expect(await awaits(id)).toBe(false);
  await at.api.rows.set('environment', { id: place.environmentId }, { production: true });
  expect(await awaits(id)).toBe(true);
  // One that runs keeps its place, whatever is decided meanwhile.
  await at.api.rows.set('build', { id }, { state: 'running' });
  expect([await awaits(id), (await turnOf(id)).open]).toEqual([false, true]);
  await at.api.rows.set('build', { id }, { state: 'queued' });
  await at.api.rows.set('variable', { service_id: place.serviceId }, { build_time: 'no' });
  expect(await awaits(id)).toBe(false);
  expect((await approve(id, at.ours.sessions.owner)).status).toBe(409);
});

test('the only one who may decide approves by asking', async () => {
  const organizationId = await seedOrganization(at.api.database);
  place = await seedPlace(at.api.database, organizationId);
  await awaitingApproval(at.api.database, place);
  const admin = await seedSession(at.api.database, organizationId, 'owner');
  const deployer = await seedSession(at.api.database, organizationId, 'deployer');
  const by = { approvedBy: { id: admin.userId } };
  expect(await made(await folder(), admin)).toMatchObject({ awaitsApproval: false, ...by });
  // The same within a change set, which nobody approves of a service that is excepted.
  const { serviceId, environmentId } = place;
  await at.api.rows.set('service', { id: serviceId }, { skip_production_approval: true });
  const source = sql<never>`jsonb_set(settings, '{source}', ${JSON.stringify({ ...noSource, kind: 'upload' })}::jsonb)`;
  const settings = { settings: source };
  await at.api.rows.set('environment_service', { service_id: serviceId }, settings);
  const { body: draft } = await call('GET', `/environments/${environmentId}/change-set`, undefined, admin);
  const uploads = [{ serviceId, ...(await folder()) }];
  const path = `/change-sets/${(draft as { changeSet: { id: string } }).changeSet.id}/apply`;
  const applied = await call('POST', path, { uploads }, admin);
  const [built] = (applied.body as { builds: { id: string }[] }).builds;
  const within = await call('GET', `/builds/${built?.id}`, undefined, admin);
  expect(within.body).toMatchObject({ awaitsApproval: false, ...by });
  const { id } = await made(await folder(), deployer);
  expect(await awaitsOf(id)).toBe(true);
  expect((await approve(id, admin)).body).toMatchObject({ awaitsApproval: false, ...by });
  const token = await seedToken(at.api.database, organizationId, 'deployer');
  expect((await made(await folder(), token)).awaitsApproval).toBe(true);

  async function awaitsOf(buildId: string) {
    return (await call('GET', `/builds/${buildId}`, undefined, admin)).body.awaitsApproval;
  }
});
