import { afterAll, beforeEach, expect, test } from 'vitest';
import { noSource } from '../../domain/services/settings.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { seedToken } from '../../test/installation/running-api.ts';
import { RegistryClient } from '../../test/registry/registry-client.ts';
import { tokenOf } from '../../test/registry/registry-world.ts';
import { ApplyGround } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const at = new ApplyGround();
const { apply, applyOf, call, create, releaseOf, stage } = at;
/** The repositories of the service that is deployed, of another one of its project, and of one of another project. */
let repositories: { own: string; beside: string; elsewhere: string };

await at.open();
const stranger = await at.api.organization();
beforeEach(async () => {
  await at.begin();
  const beside = await at.ours.service(at.projectId);
  const made = await at.call('POST', '/projects', { name: `Project ${crypto.randomUUID()}` }, at.ours.sessions.admin);
  const { project } = made.body as { project: { id: string; slug: string } };
  const elsewhere = await at.ours.service(project.id);
  const slug = String((await call('GET', `/projects/${at.projectId}`)).body.slug);
  repositories = {
    own: `${at.ours.slug}/${slug}/${at.service.slug}`,
    beside: `${at.ours.slug}/${slug}/${beside.slug}`,
    elsewhere: `${at.ours.slug}/${project.slug}/${elsewhere.slug}`,
  };
});
afterAll(() => at.close());

const client = (path: string) => new RegistryClient(at.api.url, path, tokenOf(at.ours.tokens.deployer));
const named = (imageRepository: string) => {
  const { serviceId } = at.service;
  return { kind: 'service.set', serviceId, key: 'source', value: { ...noSource, imageRepository } };
};
/** The name that is kept of an image that is named like this. */
async function kept(imageRepository: string): Promise<unknown> {
  const { items } = await stage(at.staging, create(), named(imageRepository));
  const item = items.find((one) => 'key' in one && one.key === 'source') as { to: string } | undefined;
  return item && JSON.parse(item.to).imageRepository;
}

async function imageOf(releaseId: string) {
  const { content } = await at.api.rows.one('release', { id: releaseId });
  return content.image;
}

test('an image in the own repository is named with the registry, by its path, in short, or by the version alone', async () => {
  const { digest } = await client(repositories.own).pushImage('of its own', '1.2');
  const [, project, service] = repositories.own.split('/');
  for (const name of [`localhost:8088/${repositories.own}`, repositories.own, `${project}/${service}`, service, '']) {
    expect([name, await kept(`${name}:1.2`)]).toEqual([name, ':1.2']);
    expect([name, await kept(`${name}@${digest}`)]).toEqual([name, `@${digest}`]);
  }
  await kept(`localhost:8088/${repositories.own}:1.2`);
  const { deployments } = await apply(at.staging);
  const [{ releaseId } = { releaseId: '' }] = deployments;
  expect((await releaseOf(releaseId)).imageRef).toBe(`${repositories.own}:1.2@${digest}`);
  expect(await imageOf(releaseId)).toEqual({ repository: repositories.own, digest, own: true });
});

test('one of another service becomes its own as it is deployed, and stays when it is deleted there', async () => {
  const { digest } = await client(repositories.beside).pushImage('of the service beside', 'v1');
  const [, , service = ''] = repositories.beside.split('/');
  expect(await kept(`${service}:v1`)).toBe(`${repositories.beside}:v1`);
  const { deployments } = await apply(at.staging);
  const [{ id, releaseId } = { id: '', releaseId: '' }] = deployments;
  expect((await releaseOf(releaseId)).imageRef).toBe(`${repositories.beside}:v1@${digest}`);
  expect(await imageOf(releaseId)).toEqual({ repository: repositories.own, digest, own: true });
  await at.goLive(id);
  const own = client(repositories.own);
  const { bytes } = await own.ask('GET', `manifests/${digest}`);
  const { config, layers } = JSON.parse(bytes.toString());
  for (const blob of [config, ...layers]) expect((await own.ask('HEAD', `blobs/${blob.digest}`)).status).toBe(200);
  expect((await own.ask('DELETE', `manifests/${digest}`)).code).toBe('DENIED');
  // The release pins its digest wherever it is, so the tag alone can go there.
  expect((await client(repositories.beside).ask('DELETE', 'manifests/v1')).status).toBe(202);
  const { body } = await call('GET', `/services/${at.service.serviceId}/image-config?environmentId=${at.staging}`);
  expect(body.imageRef).toBe(`${repositories.beside}:v1@${digest}`);
  expect(await kept(`${repositories.beside}@${digest}`)).toBe(`${repositories.beside}@${digest}`);
  expect((await applyOf(at.staging)).status).toBe(200);
});

test('a short name is one of Docker Hub where no such image is here, and so is one that says so', async () => {
  const [, , service = ''] = repositories.beside.split('/');
  await client(repositories.beside).pushImage('of the service beside', 'v1');
  for (const name of [`${service}:v2`, `docker.io/library/${service}:v1`, 'redis:7', 'grafana/grafana:11']) {
    expect(await kept(name)).toBe(name);
  }
});

test('what is not there, of another organization or of a project that is not seen, is told alike', async () => {
  await client(repositories.elsewhere).pushImage('of another project', 'v1');
  const { organizationId, sessions } = at.ours;
  const limited = await seedToken(at.api.database, organizationId, 'deployer', [at.projectId]);
  const theirs = await seedService(at.api.database, {
    organizationId: stranger.organizationId,
    projectId: String(
      ((await stranger.sessions.admin.post('/projects', { name: 'Theirs' })).body.project as { id: string }).id,
    ),
  });
  const path = `/environments/${at.staging}/change-set/items:batch`;
  const refusal = async (name: string, as: Parameters<typeof call>[3]) => {
    const { status, body } = await call('PUT', path, { items: [create(), named(name)] }, as);
    return [status, JSON.stringify(body.errors ?? '').replaceAll(name.replace(/:v1$/, ''), 'NAME')];
  };
  const none = await refusal(`${at.ours.slug}/none/web:v1`, limited);
  expect(none).toEqual([422, expect.stringContaining("is no repository of this installation's registry")]);
  expect(await refusal(`${repositories.elsewhere}:v1`, limited)).toEqual(none);
  expect(await refusal(`${stranger.slug}/theirs/${theirs.slug}:v1`, sessions.deployer)).toEqual(none);
  const [, project, service] = repositories.elsewhere.split('/');
  // In short it is taken for one of Docker Hub, as any other that is not here.
  await call('PUT', path, { items: [create(), named(`${project}/${service}:v1`)] }, limited);
  expect(JSON.stringify((await at.draft(at.staging)).items)).toContain(`\\"${project}/${service}:v1\\"`);

  // Staged by somebody who sees it, applied by somebody who does not.
  expect(await kept(`${repositories.elsewhere}:v1`)).toBe(`${repositories.elsewhere}:v1`);
  const { changeSet } = await at.draft(at.staging);
  expectProblem(await call('POST', `/change-sets/${changeSet.id}/apply`, {}, limited), 409, 'is no repository of this');
  expect((await client(repositories.own).ask('GET', 'manifests/v1')).status).toBe(404);
});
