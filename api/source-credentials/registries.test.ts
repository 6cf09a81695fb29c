import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeAllowedProjects } from '../../db/source-credentials/allowed-projects.ts';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import type { Credential } from '../../test/installation/running-api.ts';
import { applyGround } from '../../test/seeds/apply-ground.ts';

const at = applyGround();
const { apply, applyOf, call, create, goLive, stage } = at;
/** A credential that the project may use, and of all others. */
let id: string;
/** Another project of the organization. */
let elsewhere: string;

beforeEach(async () => {
  const { body } = await call('POST', '/projects', { name: 'Elsewhere' }, admin());
  elsewhere = (body.project as { id: string }).id;
  id = await credential([at.projectId, elsewhere]);
});

const admin = () => at.ours.sessions.admin;
const credential = async (projectIds: string[] | undefined): Promise<string> => {
  const body = {
    name: `Ada ${crypto.randomUUID()}`,
    host: at.host,
    username: 'ada',
    password: 'swordfish',
    projectIds,
  };
  return String(ok(await call('POST', '/registry-credentials', body, admin()), 201).id);
};
const change = (body: object, of = id) => call('PATCH', `/registry-credentials/${of}`, body, admin());
const source = (registryCredentialId: string | undefined, repository = 'private/app') => ({
  ...{ kind: 'service.set', serviceId: at.service.serviceId, key: 'source' },
  value: {
    ...{ ...noSource, kind: 'image', imageRepository: `${at.host}/${repository}:1` },
    ...(registryCredentialId === undefined ? {} : { registryCredentialId }),
  },
});
const put = (item: object, as: Credential = at.ours.sessions.deployer) =>
  at.api.as(as).put(`/environments/${at.staging}/change-set/items`, item);
const messages = ({ body }: { body: Record<string, unknown> }) =>
  (body.errors as { message: string }[]).map(({ message }) => message);
/** The release that is live, pulled with the credential. */
const liveWith = async (): Promise<{ releaseId: string; changeSetId: string }> => {
  await stage(at.staging, create(), source(id));
  const { deployments, changeSet } = await apply(at.staging);
  await goLive(deployments[0]?.id ?? '');
  return { releaseId: deployments[0]?.releaseId ?? '', changeSetId: changeSet.id };
};
/** As the actors of its change sets would. */
const settled = async () => {
  await at.api.rows.set(
    'change_set',
    { project_id: at.projectId, state: 'applying' },
    { state: 'applied', finished_at: sql`now()` },
  );
};

test('a source may name those of its project alone; to a token that does not see another one there is none', async () => {
  const ofOthers = await credential([elsewhere]);
  await stage(at.staging, create());
  const limited = await at.ours.token('admin', [at.projectId]);
  const refused = await put(source(ofOthers));
  expect([refused.status, messages(refused)]).toEqual([
    422,
    [expect.stringMatching(/^is the registry credential "Ada .*", which is not for this project: an administrator/)],
  ]);
  const unseen = await put(source(ofOthers), limited);
  expect([unseen.status, messages(unseen)]).toEqual([422, ['is no registry credential of this organization']]);
  expect((await put(source(id), limited)).status).toBe(200);
  const { body } = await at.api.as(limited).get('/registry-credentials?limit=100');
  const listed = body.items as { id: string; projectIds: string[] }[];
  expect(listed.map((one) => one.id)).not.toContain(ofOthers);
  expect(listed.find((one) => one.id === id)).toMatchObject({ allProjects: false, projectIds: [at.projectId] });
  const made = await at.api
    .as(limited)
    .post('/registry-credentials', { name: 'Mine', host: at.host, username: 'ada', password: 'swordfish' });
  const changed = await at.api.as(limited).patch(`/registry-credentials/${ofOthers}`, { allProjects: true });
  expect([made.status, changed.status]).toEqual([403, 403]);
});

test('a project stays in the list while a release that is pulled with it is live, also after its source has changed', async () => {
  await liveWith();
  const named = expect.stringMatching(/^"Ada .*" is in use by ".*" in the project "Project .*"/);
  const narrowed = await change({ projectIds: [elsewhere] });
  expect([narrowed.status, narrowed.body.detail]).toEqual([409, named]);
  await stage(at.staging, source(undefined, 'app'));
  const { deployments } = await apply(at.staging);
  await settled();
  expect((await change({ projectIds: [elsewhere] })).body.detail).toEqual(named);
  await goLive(deployments[0]?.id ?? '');
  expect((await change({ projectIds: [elsewhere] })).body).toMatchObject({ projectIds: [elsewhere] });
});

describe('once the project has lost it', () => {
  test('a release that needs it is neither rolled back to nor promoted, and no revert stages it', async () => {
    const { releaseId } = await liveWith();
    await stage(at.staging, source(undefined, 'app'));
    const second = await apply(at.staging);
    await goLive(second.deployments[0]?.id ?? '');
    await settled();
    await stage(at.production, create());
    const { approval, deployments } = await apply(at.production);
    await call('POST', `/approvals/${approval?.id}/decide`, { decision: 'approved' }, at.ours.sessions.owner);
    await goLive(deployments[0]?.id ?? '');
    await settled();
    expect((await change({ projectIds: [elsewhere] })).status).toBe(200);
    const refusal = expect.stringMatching(
      /^Release #\d of ".*" needs a registry credential that is not for its project any more/,
    );
    const back = await call('POST', `/releases/${releaseId}/rollback`);
    expect([back.status, back.body.detail]).toEqual([409, refusal]);
    const promotion = { releaseId, toEnvironmentId: at.production };
    const promoted = await call('POST', `/services/${at.service.serviceId}/promote`, promotion);
    expect([promoted.status, promoted.body.detail]).toEqual([409, refusal]);
    const reverted = await call('POST', `/change-sets/${second.changeSet.id}/revert`);
    expect([reverted.status, reverted.body.detail]).toEqual([
      409,
      expect.stringContaining('Source: the registry credential of the source before is not for this project any more'),
    ]);
    // With the project in the list again, all of it goes.
    expect((await change({ projectIds: [at.projectId, elsewhere] })).status).toBe(200);
    const again = await call('POST', `/releases/${releaseId}/rollback`);
    const too = await call('POST', `/services/${at.service.serviceId}/promote`, promotion);
    expect([again.status, too.status], again.text + too.text).toEqual([201, 201]);
  });

  test('an image is neither resolved nor looked at with it, even where the source was staged before', async () => {
    await stage(at.staging, create(), source(id));
    const ref = { kind: 'registry_credential' as const, organizationId: at.ours.organizationId, id };
    const { kysely } = at.api.database;
    const allow = (projectIds: string[]) => writeAllowedProjects(kysely, ref, { allProjects: false, projectIds });
    await allow([elsewhere]);
    const refused = await applyOf(at.staging);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringMatching(
        /was not found: its registry credential was deleted, is not for this project or is not one of/,
      ),
    ]);
    await allow([at.projectId]);
    const { deployments } = await apply(at.staging);
    await goLive(deployments[0]?.id ?? '');
    const config = async () =>
      (await call('GET', `/services/${at.service.serviceId}/image-config?environmentId=${at.staging}`)).body.detail;
    const before = await config();
    await allow([elsewhere]);
    expect(before).not.toMatch(/refused the sign-in/);
    expect(await config()).toMatch(/refused the sign-in/);
  });
});

test('the builds of the organization are of all projects: they take no limited credential, and keep theirs from being limited', async () => {
  const path = `/organizations/${at.ours.organizationId}`;
  const refused = await call('PATCH', path, { buildRegistryCredentialId: id }, admin());
  expect([refused.status, messages(refused)]).toEqual([
    422,
    [expect.stringMatching(/^is "Ada .*", which is limited to some projects, and builds are of all/)],
  ]);
  const ofAll = await credential(undefined);
  expect((await call('PATCH', path, { buildRegistryCredentialId: ofAll }, admin())).status).toBe(200);
  const narrowed = await change({ projectIds: [elsewhere] }, ofAll);
  expect([narrowed.status, narrowed.body.detail]).toEqual([
    409,
    expect.stringMatching(/is the credential of the organization's builds/),
  ]);
  expect((await call('PATCH', path, { buildRegistryCredentialId: null }, admin())).status).toBe(200);
  expect((await change({ projectIds: [elsewhere] }, ofAll)).status).toBe(200);
});
