import { describe, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import { referencesGround, type Service } from '../../../test/references/references-ground.ts';
import { imageDigests } from '../../../test/seeds/apply-ground.ts';

const { at, api, db, add, set, contentOf, releaseIdOf } = referencesGround();
const { apply, call, decide, finish, goLive, live, stage } = at;

const detailOf = async (id = '') =>
  ok<{ stale: boolean; blastRadius: object[] }>(await call('GET', `/approvals/${id}`));
const variablesOf = async (releaseId: string) => (await contentOf(releaseId)).content.variables;
const driftOf = async ({ serviceId }: Service) => {
  const answered = await call('GET', `/services/${serviceId}/drift?environmentId=${at.staging}`);
  expect(answered.text).not.toContain('hidden');
  const { items } = ok<{ items: { label: string; from: string; to: string }[] }>(answered);
  return items.map(({ label, from, to }) => [label, from, to]);
};
const overviewOf = async ({ serviceId }: Service) =>
  ok<{ services: { serviceId: string; drift: boolean; driftCount: number; suspended: boolean }[] }>(
    await call('GET', `/environments/${at.staging}/overview`),
  ).services.find((one) => one.serviceId === serviceId);

describe('drift tells of values that are others because of a reference', () => {
  test('a suspended service is resumed with the values of before, and one deployment brings those of today', async () => {
    await live(at.staging, add(api), add(db), set(db, 'D', '1'), set(db, 'S', 'hidden 1', { secret: true }));
    await live(at.staging, set(api, 'A', '${{db.D}}!'), set(api, 'B', '${{db.S}}'), set(api, 'C', '${{db.URL}}'));
    const place = { environmentId: at.staging };
    ok(await call('POST', `/services/${api.serviceId}/suspend`, place));
    const port = { kind: 'process.set', processId: db.processId, key: 'port', value: 9090 };
    const { unreleasedServiceIds } = await live(at.staging, set(db, 'D', '2'), set(db, 'S', 'hidden 2'), port);
    expect(unreleasedServiceIds).toEqual([api.serviceId]);
    const drift = [
      ['Variable A', '"1!"', '"2!"'],
      ['Variable B', '', ''],
      ['Variable C', '', ''],
    ];
    expect(await driftOf(api)).toEqual(drift);
    const resumed = ok<{ deployment: { id: string } }>(await call('POST', `/services/${api.serviceId}/resume`, place));
    await goLive(resumed.deployment.id);
    expect(await overviewOf(api)).toMatchObject({ suspended: false, drift: true, driftCount: 3 });
    expect(await driftOf(api)).toEqual(drift);
    const deployed = await apply(at.staging, { deployServiceIds: [api.serviceId] });
    await goLive(deployed.deployments[0]?.id ?? '');
    expect(await variablesOf(releaseIdOf(deployed, api))).toEqual({ A: '2!' });
    expect(await driftOf(api)).toEqual([]);
    expect(await overviewOf(api)).toMatchObject({ drift: false, driftCount: 0 });
  });

  test('one that follows and failed, or follows a rollback', async () => {
    const first = await live(at.staging, add(api), add(db), set(db, 'D', '1'), set(api, 'A', '${{db.D}}'));
    await stage(at.staging, set(db, 'D', '2'));
    const second = await apply(at.staging);
    const [ofDb, ofApi] = second.deployments;
    await goLive(ofDb?.id ?? '');
    await finish(ofApi?.id ?? '', 'failed');
    expect(await driftOf(api)).toEqual([['Variable A', '"1"', '"2"']]);
    const again = await apply(at.staging, { deployServiceIds: [api.serviceId] });
    await goLive(again.deployments[0]?.id ?? '');
    const rolled = await call('POST', `/releases/${releaseIdOf(first, db)}/rollback`, { queue: true });
    await goLive((rolled.body as { deployment: { id: string } }).deployment.id);
    expect(await overviewOf(api)).toMatchObject({ drift: true, driftCount: 1 });
    expect(await driftOf(api)).toEqual([['Variable A', '"2"', '"1"']]);
    // Back to the value that the live release was made of: nothing is left to deploy.
    const forth = await call('POST', `/releases/${releaseIdOf(second, db)}/rollback`, { queue: true });
    await goLive((forth.body as { deployment: { id: string } }).deployment.id);
    expect(await overviewOf(api)).toMatchObject({ drift: false, driftCount: 0 });
    const own = await call('POST', `/releases/${releaseIdOf(first, api)}/rollback`, { queue: true });
    await goLive((own.body as { deployment: { id: string } }).deployment.id);
    expect(await overviewOf(api)).toMatchObject({ drift: true, driftCount: 1 });
    expect(await driftOf(api)).toEqual([['Variable A', '"1"', '"2"']]);
    await goLive((await apply(at.staging, { deployServiceIds: [api.serviceId] })).deployments[0]?.id ?? '');
    expect(await overviewOf(api)).toMatchObject({ drift: false, driftCount: 0 });
  });
});

describe('an approval', () => {
  test('of a promotion is stale once a value that its release is made of is another one; refreshed, it has that', async () => {
    const to = at.production;
    const shared = set(undefined, 'S', '${{db.D}}');
    const first = await live(to, add(api), add(db), set(db, 'D', '1'), shared, set(api, 'A', '${{shared.S}}'));
    await live(to, set(db, 'D', '2'));
    at.tagged = imageDigests[1];
    const inStaging = await live(at.staging, add(api), set(api, 'A', 'of staging'), set(api, 'M', 'missing'));
    const body = { releaseId: releaseIdOf(inStaging, api), toEnvironmentId: to, missingAccepted: true, reason: 'Go' };
    const promoted = await call('POST', `/services/${api.serviceId}/promote`, body);
    expect(promoted.status, promoted.text).toBe(201);
    const { approval } = promoted.body as { approval: { id: string } };
    expect(await detailOf(approval.id)).toMatchObject({ stale: false });
    // A rollback deploys nothing but its own service.
    const rolled = await call('POST', `/releases/${releaseIdOf(first, db)}/rollback`, { queue: true });
    ok(await decide((rolled.body as { approval: { id: string } }).approval.id));
    expect(await detailOf(approval.id)).toMatchObject({ stale: true });
    expectProblem(await decide(approval.id), 409, 'Refresh');
    const refreshed = await call('POST', `/approvals/${approval.id}/refresh`, {});
    const { id } = refreshed.body as { id: string };
    const { target } = ok<{ target: { releases: { releaseId: string; contentDigest: string }[] } }>(
      await call('GET', `/approvals/${id}`),
    );
    expect(await variablesOf(target.releases[0]?.releaseId ?? '')).toEqual({ A: '1' });
    ok(await decide(id));
  });

  test('is told as stale when another service has come to refer to a value that it changes, and names it in the blast radius', async () => {
    const to = at.production;
    await live(to, add(api), add(db), set(db, 'D', '1'), set(api, 'URL', '${{db.URL}}'));
    await stage(to, set(db, 'D', '2'));
    const held = await apply(to);
    expect(await detailOf(held.approval?.id)).toMatchObject({ stale: false, blastRadius: [{ slug: 'api' }] });
    await live(to, set(api, 'A', '${{db.D}}'));
    expect(await detailOf(held.approval?.id)).toMatchObject({ stale: true });
    expect((await decide(held.approval?.id)).status).toBe(409);
  });

  test('does not take away a value that a suspended service has come to refer to', async () => {
    const to = at.production;
    await live(to, add(api), set(undefined, 'S', '1'));
    await stage(to, { kind: 'variable.unset', key: 'S' });
    const held = await apply(to);
    const suspended = await call(
      'POST',
      `/services/${api.serviceId}/suspend`,
      { environmentId: to },
      at.ours.sessions.admin,
    );
    expect(suspended.status, suspended.text).toBe(200);
    await live(to, set(api, 'A', '${{shared.S}}'));
    expectProblem(await decide(held.approval?.id), 409, 'api.A refers to shared.S: there is no shared variable "S"');
  });
});

test('a service to which a shared variable refers is not deleted; the impact names both ends, applied or staged', async () => {
  const impact = async () =>
    ok<{ dependents: object[]; references: object[] }>(await call('GET', `/services/${db.serviceId}/deletion-impact`));
  await live(at.staging, add(api), add(db), set(undefined, 'URL', 'x${{db.HOST}}'));
  await stage(at.staging, set(undefined, 'MORE', '${{shared.URL}}${{db.web.PORT}}'));
  const place = { environmentId: at.staging, environmentName: 'Staging' };
  expect(await impact()).toMatchObject({
    dependents: [],
    references: [
      { ...place, variable: 'shared.MORE', refersTo: 'db.web.PORT' },
      { ...place, variable: 'shared.URL', refersTo: 'db.HOST' },
    ],
  });
  expect((await call('DELETE', `/services/${db.serviceId}`)).body).toMatchObject({
    status: 409,
    detail: expect.stringContaining(
      '"db" is still referred to: shared.MORE refers to db.web.PORT (in Staging); shared.URL refers to db.HOST',
    ),
  });
  const unset = (key: string) => ({ kind: 'variable.unset', key });
  await stage(at.staging, unset('MORE'), unset('URL'));
  expect(await impact()).toMatchObject({ references: [{ variable: 'shared.URL' }] });
  await live(at.staging);
  expect((await call('DELETE', `/services/${db.serviceId}`)).status).toBe(204);
  await live(at.staging, set(api, 'A', '1'));
});
