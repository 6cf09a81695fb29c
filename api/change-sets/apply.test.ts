import { describe, expect, test } from 'vitest';
import { openReleaseSecrets } from '../../db/releases/secrets.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { applyGround, imageDigests as digests } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const at = applyGround();
const { apply, applyOf, call, create, draft, goLive, releaseOf, replicas, stage, variable, variablesOf } = at;

describe('applying', () => {
  test('settings, releases and deployments are committed together, and the draft is new', async () => {
    const before = await stage(at.staging, create(), variable('A', '1'), variable('S', 'hidden', { secret: true }));
    const result = await apply(at.staging, { message: 'First', expectedRevision: before.changeSet.revision });
    expect(result).toMatchObject({
      changeSet: { id: before.changeSet.id, message: 'First' },
      firstDeploys: [{ serviceId: at.service.serviceId }],
      unreleasedServiceIds: [],
    });
    expect(result.approval).toBeUndefined();
    const [deployment] = result.deployments;
    expect(await releaseOf(deployment?.releaseId ?? '')).toMatchObject({
      number: 1,
      configRevision: 1,
      imageRef: `${at.host}/app:1@${digests[0]}`,
      variableKeys: ['A', 'S'],
    });
    const stored = await at.api.rows.one('release', { id: deployment?.releaseId ?? '' });
    expect(stored.content).toMatchObject({
      image: { repository: `${at.host}/app`, own: false },
      variables: { A: '1' },
    });
    expect(JSON.stringify(stored)).not.toContain('hidden');
    expect(await openReleaseSecrets(at.api.keyring, { ...stored, organizationId: at.ours.organizationId })).toEqual({
      S: 'hidden',
    });
    expect(await variablesOf(at.staging)).toMatchObject([
      { key: 'A', value: '1' },
      { key: 'S', value: '' },
    ]);
    const after = await draft(at.staging);
    expect([after.items, after.changeSet.id === before.changeSet.id]).toEqual([[], false]);
    expect((await call('POST', `/change-sets/${before.changeSet.id}/apply`)).status).toBe(409);
    expectProblem(await applyOf(at.staging), 409, 'Nothing is staged');
    const past = await call('GET', `/environments/${at.staging}/change-sets`);
    expect(past.body.items).toMatchObject([{ id: before.changeSet.id, requestedBy: { name: expect.any(String) } }]);
    const whole = await call('GET', `/change-sets/${before.changeSet.id}`);
    expect(whole.body.items).toHaveLength(3);
  });

  test('what is taken back to what is applied is not kept; a tag stays at its digest until its source is staged', async () => {
    await stage(at.staging, create(), variable('A', '1'));
    const first = await apply(at.staging);
    await goLive(first.deployments[0]?.id ?? '');
    expect((await stage(at.staging, variable('A', '1'), replicas(1))).items).toEqual([]);
    at.tagged = digests[1];
    await stage(at.staging, replicas(3));
    const second = await apply(at.staging);
    expect(await releaseOf(second.deployments[0]?.releaseId ?? '')).toMatchObject({
      number: 2,
      configRevision: 1,
      imageRef: `${at.host}/app:1@${digests[0]}`,
    });
    expect(second.firstDeploys).toEqual([]);
    const { rows } = {
      rows: await at.api.database.kysely
        .selectFrom('environment_service')
        .select('settings')
        .where('service_id', '=', at.service.serviceId)
        .execute(),
    };
    const source = {
      kind: 'service.set',
      serviceId: at.service.serviceId,
      key: 'source',
      value: rows[0]?.settings.source,
    };
    expect((await stage(at.staging, source)).items).toHaveLength(1);
    const third = await apply(at.staging);
    expect(await releaseOf(third.deployments[0]?.releaseId ?? '')).toMatchObject({
      number: 3,
      configRevision: 3,
      imageRef: `${at.host}/app:1@${digests[1]}`,
    });
  });

  test('409 for an image that is not there, naming service, reference and reason, and nothing is written', async () => {
    const source = (imageRepository: string) => ({
      kind: 'service.set',
      serviceId: at.service.serviceId,
      key: 'source',
      value: {
        kind: 'image',
        imageRepository,
        builder: 'auto',
        context: '',
        dockerfile: '',
        target: '',
        gitUrl: '',
        repository: '',
      },
    });
    for (const [reference, why] of [
      [`${at.host}/app:missing`, 'has no app with missing'],
      [`${at.host}/private/app:1`, 'refused the sign-in'],
      [':1', 'push it first'],
      ['10.0.0.1:5000/app', 'is a private address'],
    ] as const) {
      await stage(at.staging, create(), source(reference));
      const refused = await applyOf(at.staging);
      expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(why) });
      expect(refused.body.detail).toContain(`The image ${reference} of ${at.service.slug}`);
    }
    expect((await draft(at.staging)).items).toHaveLength(2);
  });

  test('a private registry takes the credential of the organization', async () => {
    const body = { name: `Private ${crypto.randomUUID()}`, host: at.host, username: 'ada', password: 'swordfish' };
    const made = await call('POST', '/registry-credentials', body, at.ours.sessions.admin);
    expect([made.status, made.text.includes('swordfish')]).toEqual([201, false]);
    const value = {
      kind: 'image',
      imageRepository: `${at.host}/private/app:1`,
      registryCredentialId: made.body.id,
      builder: 'auto',
      context: '',
      dockerfile: '',
      target: '',
      gitUrl: '',
      repository: '',
    };
    await stage(at.staging, create(), { kind: 'service.set', serviceId: at.service.serviceId, key: 'source', value });
    const { deployments } = await apply(at.staging);
    expect(deployments).toHaveLength(1);
    const listed = await call('GET', '/registry-credentials', undefined, at.ours.sessions.admin);
    expect(listed.body.items).toMatchObject([{ host: at.host, username: 'ada' }]);
    expect(
      (await call('DELETE', `/registry-credentials/${made.body.id}`, undefined, at.ours.sessions.admin)).status,
    ).toBe(204);
  });

  test('a draft that changed meanwhile is not applied', async () => {
    const { changeSet } = await stage(at.staging, create());
    await stage(at.staging, variable('B', '2'));
    expectProblem(await applyOf(at.staging, { expectedRevision: changeSet.revision }), 409, 'Variable B');
  });

  test('settings of a service without an image are stored, and nothing is started', async () => {
    at.service = await seedService(at.api.database, {
      organizationId: at.ours.organizationId,
      projectId: at.projectId,
    });
    await stage(at.staging, create());
    expect(await apply(at.staging)).toMatchObject({ deployments: [], unreleasedServiceIds: [at.service.serviceId] });
    await stage(at.staging, { kind: 'service.remove', serviceId: at.service.serviceId });
    expect(await apply(at.staging)).toMatchObject({ deployments: [], unreleasedServiceIds: [] });
    expect((await stage(at.staging, create())).items).toHaveLength(1);
  });

  test('files are refused where no agent makes them, and nothing is applied', async () => {
    const { serviceId } = at.service;
    const file = { kind: 'file.set', serviceId, key: 'app.yml', value: 'CONFIG' };
    await stage(at.staging, create(), variable('CONFIG', 'a: 1'), file);
    expectProblem(await applyOf(at.staging), 409, 'fileMounts');
    expect((await draft(at.staging)).items).toHaveLength(3);
  });

  test('a fixed port is refused where no agent can give it, and nothing is applied', async () => {
    const { processId } = at.service;
    await stage(at.staging, create(), { kind: 'process.set', processId, key: 'fixedPort', value: true });
    expectProblem(await applyOf(at.staging), 409, /^The process web of ".+" has a fixed port\. .*fixedPorts/);
    expect((await draft(at.staging)).items).toHaveLength(2);
  });

  test('settings of a suspended service are stored, and nothing is started, even when that is asked for', async () => {
    const { serviceId } = at.service;
    await stage(at.staging, create());
    const first = await apply(at.staging);
    await goLive(first.deployments[0]?.id ?? '');
    expect((await call('POST', `/services/${serviceId}/suspend`, { environmentId: at.staging })).status).toBe(200);
    await stage(at.staging, variable('A', '1'));
    expect(await apply(at.staging)).toMatchObject({ deployments: [], unreleasedServiceIds: [serviceId] });
    expectProblem(await applyOf(at.staging, { deployServiceIds: [serviceId] }), 409, 'resume it first');
    const { services } = (await call('GET', `/environments/${at.staging}/overview`)).body as { services: object[] };
    expect(services).toMatchObject([{ serviceId, suspended: true, drift: true }]);
  });
});
