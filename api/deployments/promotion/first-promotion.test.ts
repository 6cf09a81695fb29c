import { describe, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
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

const { call, create, draft, goLive, releaseOf, replicas, stage, variable, variablesOf, decide } = at;

promotions();

/** Staging runs the service with a plain variable and two secrets; production lacks it. */
async function onlyInStaging(): Promise<string> {
  at.tagged = imageDigests[1];
  const release = await liveFrom(
    at.staging,
    create(),
    replicas(2),
    variable('LEVEL', 'info'),
    variable('TOKEN', 'hunter2', { secret: true }),
    variable('SESSION_SECRET', 'hunter3', { secret: true }),
  );
  // The tag means another image by now: nothing may be looked up by it.
  at.tagged = imageDigests[0];
  return release;
}

const givenTwo = {
  variables: [
    { key: 'TOKEN', value: 'of production' },
    { key: 'SESSION_SECRET', generate: true },
  ],
};
const inProduction = async () => {
  const { body } = await call('GET', `/environments/${at.production}/overview`);
  return (body as { services: object[] }).services;
};
const replicasThere = async () => {
  const { settings } = await at.settingsOf(at.production);
  return settings.processes[at.service.processId]?.replicas;
};
const refresh = async (id = '') => await call('POST', `/approvals/${id}/refresh`, {}, at.ours.sessions.owner);

describe('a target that lacks the service', () => {
  test('gets it as it runs elsewhere, by one change set and one approval', async () => {
    const release = await onlyInStaging();
    await stage(at.production, { kind: 'variable.set', key: 'SHARED', value: 'of somebody else' });
    const body = { reason: 'First one.', ...givenTwo };
    const { approval, deployment, release: composed, ...more } = await created(at.production, release, body);
    expect(more).toMatchObject({ changeSetId: expect.any(String), superseded: [] });
    expect(composed).toMatchObject({
      ...{ number: 2, imageRef: image(1), promotedFromReleaseId: release },
      variableKeys: ['LEVEL', 'SESSION_SECRET', 'TOKEN'],
    });
    expect(deployment).toMatchObject({ kind: 'change-set', state: 'pending', blocker: 'approval' });
    expect(approval).toMatchObject({
      ...{ kind: 'change-set', reason: 'First one.', impact: { services: [{ firstDeploy: true }], replicas: 2 } },
      diff: [
        {
          to: { id: composed.id, number: 2, image: image(1) },
          promotedFrom: { releaseId: release, number: 1, environment: 'Staging' },
          items: expect.arrayContaining([
            expect.objectContaining({ kind: 'service.create' }),
            expect.objectContaining({ kind: 'variable.set', key: 'LEVEL', to: '"info"' }),
            expect.objectContaining({ kind: 'variable.set', key: 'TOKEN', to: '', secret: true }),
          ]),
        },
      ],
    });
    expect(await inProduction()).toMatchObject([{ blocker: 'approval', replicasDesired: 0 }]);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    expect(await inProduction()).toMatchObject([{ activeReleaseId: composed.id, drift: false }]);
    expect(await replicasThere()).toBe(2);
    expect(await sourceIn(at.production)).toBe(image(1));
    const secrets = await at.secretsOf(composed.id);
    expect(secrets).toMatchObject({ TOKEN: 'of production', SESSION_SECRET: expect.stringMatching(/^[\w-]{64}$/) });
    expect((await draft(at.production)).items).toMatchObject([{ key: 'SHARED' }]);
    // From here on it is like any other.
    const later = await liveFrom(at.production, variable('LEVEL', 'warn'));
    expect(await releaseOf(later)).toMatchObject({ number: 3, imageRef: image(1) });
  });

  test('is not added while secrets lack a value, unless somebody accepts that', async () => {
    const release = await onlyInStaging();
    const refused = await promoteTo(at.production, release);
    expect(refused).toMatchObject({ status: 409, body: { missing: ['SESSION_SECRET', 'TOKEN'] } });
    expect((await draft(at.production)).items).toEqual([]);
    const { release: composed } = await created(at.production, release, { missingAccepted: true });
    expect(composed).toMatchObject({ variableKeys: ['LEVEL'] });
  });

  test('takes what is staged of it along, but for its image', async () => {
    const release = await onlyInStaging();
    await stage(at.production, create(), replicas(5), variable('LEVEL', 'warn'));
    const { approval, deployment, release: composed } = await created(at.production, release, givenTwo);
    expect((await draft(at.production)).items).toEqual([]);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    expect(await replicasThere()).toBe(5);
    expect(await variablesOf(at.production)).toContainEqual(expect.objectContaining({ key: 'LEVEL', value: 'warn' }));
    expect(composed).toMatchObject({ imageRef: image(1) });
  });

  test('gives the changes back when it is rejected, and is asked for once at a time', async () => {
    const release = await onlyInStaging();
    const { approval } = await created(at.production, release, givenTwo);
    expect(await refusalOf(at.production, release, givenTwo)).toEqual([
      409,
      expect.stringContaining('is being added to "Production" already: approve it, or withdraw it first'),
    ]);
    ok(await decide(approval?.id, 'rejected'));
    const staged = (await draft(at.production)).items.map(({ key }) => key);
    expect(staged.toSorted()).toEqual(['', 'LEVEL', 'SESSION_SECRET', 'TOKEN']);
    const again = await created(at.production, release);
    expect(again.release).toMatchObject({ variableKeys: ['LEVEL', 'SESSION_SECRET', 'TOKEN'] });
  });

  test('keeps image and origin when its approval is refreshed', async () => {
    const release = await onlyInStaging();
    const { approval } = await created(at.production, release, givenTwo);
    const again = await refresh(approval?.id);
    expect(again).toMatchObject({
      status: 201,
      body: { diff: [{ to: { image: image(1) }, promotedFrom: { releaseId: release } }] },
    });
    const { target } = again.body as unknown as { target: { releases: [{ releaseId: string }] } };
    expect(await releaseOf(target.releases[0].releaseId)).toMatchObject({
      ...{ imageRef: image(1), promotedFromReleaseId: release },
    });
  });

  test('of a built service runs the image that was built, and builds nothing', async () => {
    const release = await onlyInStaging();
    const source = { kind: 'git', gitUrl: 'https://git.example.com/team/app.git', repository: '', imageRepository: '' };
    const { content } = await at.ours.rows.one('release', { id: release });
    const settings = { ...content.settings, source: { ...content.settings.source, ...source } };
    await at.ours.rows.set(
      'release',
      { id: release },
      { content: JSON.stringify({ ...content, settings }) as never, git_commit_sha: 'a'.repeat(40) },
    );
    const { approval, deployment, release: composed, ...more } = await created(at.production, release, givenTwo);
    expect([more, composed]).toMatchObject([{}, { gitCommitSha: 'a'.repeat(40), imageRef: image(1) }]);
    expect(await at.ours.rows.all('build', { service_id: at.service.serviceId })).toEqual([]);
    ok(await decide((await refresh(approval?.id)).body.id as string));
    expect(deployment).toMatchObject({ kind: 'change-set' });
  });

  test('gets no secret of production, and others only where that is said', async () => {
    const release = await onlyInStaging();
    const copies = { variables: ['SESSION_SECRET', 'TOKEN'].map((key) => ({ key, copy: true })) };
    const { approval, deployment, release: composed } = await created(at.production, release, copies);
    ok(await decide(approval?.id));
    await goLive(deployment.id);
    expect(await at.secretsOf(composed.id)).toEqual({ TOKEN: 'hunter2', SESSION_SECRET: 'hunter3' });
    const made = await call(
      'POST',
      `/projects/${at.projectId}/environments`,
      { name: 'Copy', production: false },
      at.ours.sessions.admin,
    );
    const refused = await promoteTo(String(made.body.id), composed.id, copies);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [{ location: 'body.variables[0].copy', message: expect.stringContaining('secret of production') }],
      },
    });
  });

  test('is refused to who may not deploy, and for values that cannot be', async () => {
    const release = await onlyInStaging();
    expect(await promoteTo(at.production, release, givenTwo, at.ours.sessions.viewer)).toMatchObject({ status: 403 });
    const faults = async (...variables: object[]) => {
      const { status, body } = await promoteTo(at.production, release, { variables });
      return [status, (body as { errors: { location: string }[] }).errors.map(({ location }) => location)];
    };
    expect(await faults({ key: 'A' })).toEqual([422, ['body.variables[0]']]);
    expect(await faults({ key: 'A', value: '1', copy: true })).toEqual([422, ['body.variables[0]']]);
    expect(await faults({ key: '1A', value: '1' })).toEqual([422, ['body.variables[0].key']]);
    expect(await faults({ key: 'A', value: '1' }, { key: 'A', value: '2' })).toEqual([422, ['body.variables[1].key']]);
    const answered = await refusalOf(at.production, release, {
      variables: [...givenTwo.variables, { key: 'URL', value: 'postgres://${{db.HOST}}' }],
    });
    expect(answered).toEqual([409, expect.stringContaining('refers to')]);
  });
});

test('a target that has the service and lacks variables gets them with the promotion', async () => {
  const { second } = await both();
  const next = await liveFrom(at.staging, variable('NEW', '1'), variable('KEY', 'x', { secret: true }));
  expect((await promoteTo(at.production, next)).body).toMatchObject({ missing: ['KEY', 'NEW'] });
  await stage(at.production, replicas(7));
  const body = {
    variables: [
      { key: 'KEY', value: 'y' },
      { key: 'NEW', copy: true },
    ],
  };
  const { approval, deployment, release } = await created(at.production, next, body);
  expect(approval).toMatchObject({ kind: 'change-set', diff: [{ promotedFrom: { releaseId: next } }] });
  ok(await decide(approval?.id));
  await goLive(deployment.id);
  expect(await inProduction()).toMatchObject([{ activeReleaseId: release.id, drift: false }]);
  expect(await replicasThere()).toBe(2);
  expect(release).toMatchObject({ imageRef: image(1), variableKeys: ['A', 'KEY', 'NEW'] });
  expect((await draft(at.production)).items).toMatchObject([{ key: 'replicas' }]);
  expect(second).not.toBe(next);
});

test('a variable that is not given to such a target is missing still, and a secret of it stays one', async () => {
  await both();
  const next = await liveFrom(at.staging, variable('NEW', '1'), variable('KEY', 'plain in staging'));
  await liveFrom(at.production, variable('KEY', 'x', { secret: true }));
  const given = { variables: [{ key: 'KEY', value: 'y' }] };
  expect(await promoteTo(at.production, next, given)).toMatchObject({ status: 409, body: { missing: ['NEW'] } });
  const copied = {
    variables: [
      { key: 'KEY', value: 'y', secret: false },
      { key: 'NEW', copy: true },
    ],
  };
  const { approval, deployment, release } = await created(at.production, next, copied);
  expect(JSON.stringify(approval)).not.toContain('"y"');
  ok(await decide(approval?.id));
  await goLive(deployment.id);
  expect(await at.secretsOf(release.id)).toEqual({ KEY: 'y' });
});

test('a generated value of what is secret elsewhere is secret, whatever is asked', async () => {
  const release = await onlyInStaging();
  const variables = ['TOKEN', 'SESSION_SECRET'].map((key) => ({ key, generate: true, secret: false }));
  const { release: composed } = await created(at.production, release, { variables });
  expect(Object.keys(await at.secretsOf(composed.id)).toSorted()).toEqual(['SESSION_SECRET', 'TOKEN']);
});

describe('a preview', () => {
  const previewOf = async (releaseId: string, to = at.production) =>
    await call('GET', `/services/${at.service.serviceId}/promotion?releaseId=${releaseId}&toEnvironmentId=${to}`);

  test('says what would be added, and which values have to be given', async () => {
    const release = await onlyInStaging();
    const applied = await liveFrom(at.staging, variable('WHERE', '${{shared.REGION}}', {}), {
      ...{ kind: 'variable.set', key: 'REGION', value: 'eu' },
    });
    const { body, text } = await previewOf(applied);
    expect(body).toMatchObject({
      ...{ adds: true, staged: 0, held: true, releaseNumber: 2, fromEnvironmentName: 'Staging' },
      processes: [{ name: 'web', kind: 'http', replicas: 2, volumes: [] }],
      variables: [
        { key: 'LEVEL', from: 'copied', value: 'info', problem: '' },
        { key: 'SESSION_SECRET', from: 'nowhere', secret: true, value: '', proposal: 'generate' },
        { key: 'TOKEN', from: 'nowhere', secret: true, value: '', proposal: '' },
        { key: 'WHERE', from: 'copied', problem: expect.stringContaining('shared.REGION') },
      ],
    });
    expect(text).not.toContain('hunter');
    await stage(at.production, create(), variable('TOKEN', 'staged', { secret: true }));
    expect((await previewOf(release)).body).toMatchObject({ adds: true, staged: 1 });
  });

  test('of a target that has it names what it lacks', async () => {
    await both();
    const next = await liveFrom(at.staging, variable('NEW', '1'));
    expect((await previewOf(next)).body).toMatchObject({
      adds: false,
      variables: [
        { key: 'A', from: 'there', value: '' },
        { key: 'NEW', from: 'nowhere' },
      ],
    });
  });
});
