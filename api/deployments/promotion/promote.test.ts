import { describe, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import {
  at,
  both,
  created,
  image,
  liveFrom,
  promoteTo,
  promotions,
  refusalOf,
  sourceIn,
} from '../../../test/api/promotions.ts';
import { imageDigests } from '../../../test/seeds/apply-ground.ts';

const { apply, call, create, draft, finish, goLive, releaseOf, stage, variable, variablesOf, decide } = at;

promotions();

describe('a promotion to production', () => {
  test('carries the digest, and nothing but the digest; it stays when something else is applied', async () => {
    const { first, second } = await both();
    await stage(at.production, variable('B', 'staged'));
    const { approval, deployment, release } = await created(at.production, second, { reason: 'It held in staging.' });
    expect(deployment).toMatchObject({ kind: 'promote', state: 'pending', blocker: 'approval' });
    expect(release).toMatchObject({
      ...{ number: 3, imageRef: image(1), promotedFromReleaseId: second, variableKeys: ['A'] },
    });
    expect(approval).toMatchObject({
      ...{ kind: 'promote', reason: 'It held in staging.' },
      diff: [
        {
          from: { id: first, number: 1, image: image(0) },
          to: { id: release.id, number: 3, image: image(1) },
          promotedFrom: { releaseId: second, number: 2, environment: 'Staging' },
        },
      ],
      impact: { services: [{ id: at.service.serviceId }], requiresDowntime: false, missing: [] },
      target: { releases: [{ releaseId: release.id, contentDigest: release.contentDigest }] },
    });
    expect(await sourceIn(at.production)).toBe(`${at.host}/app:1`);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    const { content } = await at.ours.rows.one('release', { id: release.id });
    expect(content).toMatchObject({
      image: { digest: imageDigests[1] },
      variables: { A: 'of production' },
      settings: { processes: { [at.service.processId]: { replicas: 2 } } },
    });
    expect(await sourceIn(at.production)).toBe(image(1));
    expect(await sourceIn(at.staging)).toBe(`${at.host}/app:1`);
    expect((await draft(at.production)).items).toMatchObject([{ key: 'B' }]);
    const overview = await call('GET', `/environments/${at.production}/overview`);
    expect(overview.body.services).toMatchObject([{ activeReleaseId: release.id, drift: false }]);
    const later = await liveFrom(at.production);
    expect(await releaseOf(later)).toMatchObject({ number: 4, imageRef: image(1), variableKeys: ['A', 'B'] });
  });

  test('tells the people who decide, and the audit log from where it came', async () => {
    const { second } = await both();
    const { deployment } = await created(at.production, second);
    const inbox = await call('GET', '/notifications', undefined, at.ours.sessions.owner);
    expect(inbox.body.items).toContainEqual(
      expect.objectContaining({ title: `Approval needed: promote ${at.service.slug} to Production` }),
    );
    const records = await at.ours.rows.all('audit_record', { subject_id: deployment.id });
    const details = {
      ...{ kind: 'promote', environment: 'Production', release: 3, fromEnvironment: 'Staging', fromRelease: 2 },
    };
    expect(records.map((one) => [one.action, one.details])).toEqual([['deployment.requested', details]]);
  });

  test('is stale once another release went live; refreshed, it takes the settings of now', async () => {
    const { second } = await both();
    await stage(at.production, variable('A', 'newer'));
    const before = await apply(at.production);
    ok(await decide(before.approval?.id));
    const { approval, deployment } = await created(at.production, second);
    await goLive(before.deployments[0]?.id ?? '');
    expect(await decide(approval?.id)).toMatchObject({
      ...{ status: 409, body: { detail: expect.stringContaining('Refresh it') } },
    });
    await at.ours.rows.set('variable', { environment_id: at.production }, { value: 'of now' });
    const again = await call('POST', `/approvals/${approval?.id}/refresh`, {}, at.ours.sessions.owner);
    expect(again.status, again.text).toBe(201);
    const refreshed = again.body as { id: string; deploymentId: string };
    expect((await call('GET', `/deployments/${deployment.id}`)).body).toMatchObject({ state: 'superseded' });
    ok(await decide(refreshed.id));
    await goLive(refreshed.deploymentId);
    const serving = await call('GET', `/deployments/${refreshed.deploymentId}`);
    expect(serving.body).toMatchObject({ kind: 'promote', state: 'live', serving: true });
    const { content } = await at.ours.rows.one('release', { id: (serving.body as { releaseId: string }).releaseId });
    expect(content).toMatchObject({ variables: { A: 'of now' }, image: { digest: imageDigests[1] } });
  });
});

describe('variables that the target lacks', () => {
  test('are named, unless somebody accepts it; they are asked for until a release served without them', async () => {
    await liveFrom(at.production, create());
    at.tagged = imageDigests[1];
    const second = await liveFrom(at.staging, create(), variable('TOKEN', 'x', { secret: true }), variable('URL', 'y'));
    const refused = await promoteTo(at.production, second);
    expect(refused).toMatchObject({
      status: 409,
      body: { missing: ['TOKEN', 'URL'], detail: expect.stringContaining('has no variables TOKEN and URL') },
    });
    await liveFrom(at.production, variable('URL', 'z'));
    expect((await promoteTo(at.production, second)).body).toMatchObject({ missing: ['TOKEN'] });
    const { approval, deployment } = await created(at.production, second, { missingAccepted: true });
    expect(approval).toMatchObject({ impact: { missing: ['TOKEN'] } });
    ok(await decide(approval?.id));
    const twice = await promoteTo(at.production, second, { missingAccepted: true });
    expect(twice.body.detail).toContain('is being deployed to "Production"');
    await goLive(deployment.id);
    const next = await liveFrom(at.staging, variable('NEW', '1'));
    expect((await promoteTo(at.production, next)).body).toMatchObject({ missing: ['NEW'] });
  });

  test('a file without its variable is refused in any case', async () => {
    const { second } = await both();
    const files = JSON.stringify({ files: [{ path: '/etc/app/key', variable: 'KEY' }] });
    await at.api.sql`update environment_service set settings = settings || ${files}::jsonb
      where service_id = ${at.service.serviceId} and environment_id = ${at.production}`;
    expect(await promoteTo(at.production, second, { missingAccepted: true })).toMatchObject({
      ...{ status: 409, body: { detail: expect.stringContaining('has no variable KEY, of which its files') } },
    });
  });
});

describe('refused', () => {
  test('another service, another project, the same environment, a retired release', async () => {
    const { second } = await both();
    const { serviceId } = at.service;
    const [{ production, projectId }, of] = [{ ...at, projectId: at.projectId, production: at.production }, at.staging];
    expectProblem(await promoteTo(of, second), 422, [{ location: 'body.toEnvironmentId', value: of }]);
    await at.ours.rows.set('release', { id: second }, { retired_at: new Date() });
    expect(await refusalOf(production, second)).toEqual([409, expect.stringContaining('Release #2 is retired')]);
    await at.begin();
    const elsewhere = (await both()).second;
    const promote = (releaseId: string, toEnvironmentId: string) =>
      call('POST', `/services/${serviceId}/promote`, { releaseId, toEnvironmentId });
    expect(await promote(elsewhere, production)).toMatchObject({ status: 404 });
    expect(await promote(second, at.production)).toMatchObject({ status: 404 });
    const limited = { token: await at.ours.token('deployer', [projectId]) };
    const body = { releaseId: elsewhere, toEnvironmentId: at.production };
    const path = `/services/${at.service.serviceId}/promote`;
    expect((await at.api.as(limited.token).post(path, body)).status).toBe(404);
    const mine = await at.ours.token('deployer', [at.projectId]);
    expect((await at.api.as(mine).post(path, body)).status).toBe(201);
    expect((await promoteTo(at.production, elsewhere, {}, at.ours.sessions.viewer)).status).toBe(403);
  });

  test('a suspended service, an image that does not run there, no slot', async () => {
    const { second } = await both();
    const suspend = (suspended: boolean) =>
      at.ours.rows.set('environment_service', { environment_id: at.production }, { suspended });
    await suspend(true);
    expect(await refusalOf(at.production, second)).toEqual([409, expect.stringContaining('suspended')]);
    await suspend(false);
    const platforms = (list: object[] | null) =>
      at.api.sql`update release set image_platforms = ${JSON.stringify(list)}::jsonb where id = ${second}`;
    const { clusterId } = await at.ours.place();
    await at.ours.rows.set('environment', { id: at.production }, { cluster_id: clusterId });
    await platforms([{ os: 'plan9', architecture: 'mips' }]);
    expect(await refusalOf(at.production, second)).toEqual([409, expect.stringContaining('cannot run here')]);
    await platforms(null);
    await at.ours.rows.set('environment', { id: at.production }, { production: false });
    await at.ours.rows.set('project', { id: at.projectId }, { deploy_concurrency: 1 });
    await stage(at.staging, variable('B', '2'));
    const rolling = (await apply(at.staging)).deployments[0]?.id ?? '';
    expect(await refusalOf(at.production, second)).toEqual([409, expect.stringContaining('deployment slots')]);
    const before = await at.ours.rows.all('release', { environment_id: at.production });
    expect(before).toHaveLength(1);
    const { deployment } = await created(at.production, second, { queue: true });
    expect(deployment).toMatchObject({ blocker: 'slot' });
    expect(await sourceIn(at.production)).toBe(image(1));
    await finish(rolling, 'live');
    await goLive(deployment.id);
    expect(await variablesOf(at.production)).toMatchObject([{ key: 'A', value: 'of production' }]);
  });
});
