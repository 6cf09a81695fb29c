import { describe, expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type MadeService, madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours } = await ownApi({ env: { SERVICES_PER_PROJECT: '8' } });
const theirs = await api.organization();

const { project, service, call, staged, applied } = madeProjects(() => ({ api, as: ours.tokens.admin }));

describe('POST /projects/{id}/services', () => {
  test('201 with its default process, staged in the oldest environment that is not production', async () => {
    const { id, staging } = await project();
    const made = await service(id, { name: 'My API', source: { kind: 'image', imageRepository: ':1' } });
    expect(made.service).toMatchObject({
      name: 'My API',
      slug: 'my-api',
      source: { kind: 'image', imageRepository: ':1', builder: 'auto', gitUrl: '' },
      dependsOn: [],
      deployAfter: [],
      files: [],
      releaseCommand: [],
      skipProductionApproval: false,
    });
    expect(made.processes).toMatchObject([{ name: 'web', kind: 'http', port: 8080, replicas: 1, drainSeconds: 30 }]);
    expect(made.defaultProcessCreated).toBe(true);
    expect(made.environmentId).toBe(staging);
    expect(made.changeSet.items).toMatchObject([{ kind: 'service.create', serviceId: made.service.id }]);
    expect(made.service.stagedIn).toMatchObject({ environmentId: staging, changeSetId: made.changeSet.changeSet.id });
    const seen = await call('GET', `/services/${made.service.id}?environmentId=${staging}`);
    expect(seen.body).toMatchObject({ id: made.service.id, slug: 'my-api' });
  });

  test('its process is as the request says', async () => {
    const { id, production } = await project();
    const made = await service(id, {
      name: 'redis',
      environmentId: production,
      process: { name: 'cache', kind: 'tcp', port: 6379, memoryLimitBytes: 64_000_000 },
    });
    expect(made.environmentId).toBe(production);
    expect(made.processes).toMatchObject([{ name: 'cache', kind: 'tcp', port: 6379, memoryLimitBytes: 64_000_000 }]);
  });

  test('names of any letters get a slug of their own', async () => {
    const { id } = await project();
    const slugs = [];
    for (const name of ['Été', '服务', '***', 'Shared']) slugs.push((await service(id, { name })).service.slug);
    expect(slugs).toEqual(['ete', 'service', 'service-2', 'shared-2']);
  });

  test('a name that a service of the project has is refused with that one, wherever it is', async () => {
    const { id, production } = await project();
    const made = await service(id, { name: 'Web' });
    const again = (name: string) => call('POST', `/projects/${id}/services`, { name, environmentId: production });
    for (const name of ['Web', 'web', ' WEB ']) {
      expect(await again(name)).toMatchObject({
        status: 409,
        body: {
          existing: { id: made.service.id, slug: 'web', name: 'Web' },
          errors: [{ location: 'body.name', message: expect.stringContaining('add that one to the environment') }],
        },
      });
    }
    expect((await call('GET', `/projects/${id}/services`)).body.items).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['a name of 300 characters', { name: 'n'.repeat(300) }, 'body.name'],
    ['an unknown kind of source', { name: 'x', source: { kind: 'tar' } }, 'body.source.kind'],
    ['a source without a kind', { name: 'x', source: {} }, 'body.source.kind'],
    [
      'a blank in the image',
      { name: 'x', source: { kind: 'image', imageRepository: 'a b' } },
      'body.source.imageRepository',
    ],
    ['a web process without a port', { name: 'x', process: { port: null } }, 'body.process.port'],
    ['a cron process without a schedule', { name: 'x', process: { kind: 'cron' } }, 'body.process.schedule'],
    ['a bad name of the process', { name: 'x', process: { name: 'Web!' } }, 'body.process.name'],
    ['too many replicas', { name: 'x', process: { replicas: 201 } }, 'body.process.replicas'],
    ['a path with a fragment', { name: 'x', process: { livenessPath: '/a#b' } }, 'body.process.livenessPath'],
    ['an unknown dependency', { name: 'x', dependsOn: ['nobody'] }, 'body.dependsOn[0]'],
    ['an unknown field', { name: 'x', colour: 'red' }, 'body.colour'],
  ])('422 at the field for %s', async (_, body, location) => {
    const { id } = await project();
    expectProblem(await call('POST', `/projects/${id}/services`, body), 422, [{ location }]);
    expect((await call('GET', `/projects/${id}/services`)).body.items).toEqual([]);
  });

  test('403 for a viewer; 404 for an environment of another project; 409 beyond the quota', async () => {
    const { id } = await project();
    const other = await project();
    const refusal = async (body: object, as = ours.tokens.deployer) =>
      (await as.post(`/projects/${id}/services`, body)).status;
    expect(await refusal({ name: 'x' }, ours.tokens.viewer)).toBe(403);
    expect(await refusal({ name: 'x', environmentId: other.staging })).toBe(404);
    expect(await refusal({ name: 'x' }, theirs.tokens.admin as never)).toBe(404);
    for (let count = 0; count < 8; count += 1) expect(await refusal({ name: `x${count}` })).toBe(201);
    expect(await refusal({ name: 'y' })).toBe(409);
  });
});

describe('PATCH /services/{id}', () => {
  test('a name changes at once, and the slug stays', async () => {
    const { id } = await project();
    const made = await service(id, { name: 'Before' });
    const changed = await call('PATCH', `/services/${made.service.id}`, { name: 'After' });
    expect(changed.body).toMatchObject({ name: 'After', slug: 'before' });
    expect((await staged(made.environmentId)).length).toBe(1);
  });

  test('a setting changes the definition, and is staged wherever the service is', async () => {
    const { id, staging, production } = await project();
    const made = await applied(await service(id, { name: 'api' }), [staging, production]);
    const source = { kind: 'image', imageRepository: 'registry.example.com/api:2' };
    const changed = await call('PATCH', `/services/${made.service.id}`, { source, releaseCommand: ['migrate'] });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({ source, releaseCommand: ['migrate'] });
    for (const environment of [staging, production]) {
      expect(await staged(environment)).toMatchObject([
        { kind: 'service.set', key: 'releaseCommand', to: '["migrate"]' },
        { kind: 'service.set', key: 'source' },
      ]);
    }
  });

  test('with an environment it is staged there alone, and the definition stays', async () => {
    const { id, staging, production } = await project();
    const made = await applied(await service(id, { name: 'api' }), [staging, production]);
    const path = `/services/${made.service.id}`;
    const changed = await call('PATCH', `${path}?environmentId=${production}`, { releaseCommand: ['migrate'] });
    expect(changed.body).toMatchObject({ releaseCommand: ['migrate'] });
    expect(await staged(staging)).toEqual([]);
    expect((await staged(production)).length).toBe(1);
    expect((await call('GET', path)).body.releaseCommand).toEqual([]);
    expect((await call('GET', `${path}?environmentId=${production}`)).body.releaseCommand).toEqual(['migrate']);
    expect((await call('GET', `${path}?environmentId=${staging}`)).body.releaseCommand).toEqual([]);
  });

  test('409 with who changed it, if it is not as the client saw it', async () => {
    const { id } = await project();
    const { service: made } = await service(id, { name: 'One' });
    await call('PATCH', `/services/${made.id}`, { name: 'Two' });
    const late = await call('PATCH', `/services/${made.id}`, { name: 'Three', was: { name: 'One' } });
    expect(late.status).toBe(409);
    expect(late.body.meanwhile).toMatchObject([{ location: 'body.name', value: 'Two', by: 'admin token' }]);
  });

  test('only admins let a service skip the approval of production, and it is known who did', async () => {
    const { id } = await project();
    const { service: made } = await service(id, { name: 'Trusted' });
    const patch = (as: Organization['tokens']['admin'], skipProductionApproval: boolean) =>
      as.patch(`/services/${made.id}`, { skipProductionApproval });
    expect((await patch(ours.tokens.deployer, true)).status).toBe(403);
    const allowed = await patch(ours.tokens.admin, true);
    expect(allowed.body).toMatchObject({ skipProductionApproval: true, skipProductionApprovalBy: 'admin token' });
    expect(typeof allowed.body.skipProductionApprovalAt).toBe('string');
    const again = await patch(ours.tokens.admin, false);
    expect(again.body).not.toHaveProperty('skipProductionApprovalBy');
  });

  test('422 for a dependency that leads back', async () => {
    const { id } = await project();
    const db = await service(id, { name: 'db' });
    const web = await service(id, { name: 'web', dependsOn: ['db'] });
    expect(web.service.deployAfter).toEqual([
      { id: db.service.id, kind: 'service', name: 'db', slug: 'db', keys: [], via: 'depends-on' },
    ]);
    const refused = await call('PATCH', `/services/${db.service.id}`, { dependsOn: ['web'] });
    expect(refused.body.errors).toMatchObject([{ location: 'body.dependsOn[0]', value: 'web' }]);
  });
});

describe('the canvas', () => {
  test('PUT places those that are named, DELETE forgets all', async () => {
    const { id } = await project();
    const [one, two] = [await service(id, { name: 'one' }), await service(id, { name: 'two' })];
    const put = (positions: object[]) => call('PUT', `/projects/${id}/canvas`, { positions });
    expect((await put([{ serviceId: one.service.id, x: 1.5, y: -2 }])).status).toBe(204);
    expect((await put([{ serviceId: two.service.id, x: 3, y: 4 }])).status).toBe(204);
    const seen = async () => (await call('GET', `/projects/${id}/services`)).body.items;
    expect(await seen()).toMatchObject([
      { canvasX: 1.5, canvasY: -2 },
      { canvasX: 3, canvasY: 4 },
    ]);
    const refused = await put([
      { serviceId: one.service.id, x: 9, y: 9 },
      { serviceId: id, x: 0, y: 0 },
    ]);
    expect(refused.body.errors).toMatchObject([{ location: 'body.positions[1].serviceId' }]);
    expect(await seen()).toMatchObject([{ canvasX: 1.5 }, { canvasX: 3 }]);
    expect((await call('DELETE', `/projects/${id}/canvas`)).status).toBe(204);
    for (const placed of (await seen()) as object[]) expect(placed).not.toHaveProperty('canvasX');
  });
});

test('a token that is limited to projects sees the services of these alone', async () => {
  const [mine, other] = [await project(), await project()];
  const made: MadeService[] = [];
  for (const { id } of [mine, other]) made.push(await service(id, { name: 'api' }));
  const as = await ours.token('admin', [mine.id]);
  const statuses = async (method: string, path: (one: MadeService) => string, body?: object) => {
    const answered = [];
    for (const one of made) answered.push((await as.call(method, `${path(one)}`, body)).status);
    return answered;
  };
  expect(await statuses('GET', ({ service: { id } }) => `/services/${id}`)).toEqual([200, 404]);
  expect(await statuses('GET', ({ service: { projectId } }) => `/projects/${projectId}/services`)).toEqual([200, 404]);
  expect(await statuses('GET', ({ service: { id } }) => `/services/${id}/processes`)).toEqual([200, 404]);
  expect(await statuses('GET', ({ processes: [web] }) => `/processes/${web?.id}`)).toEqual([200, 404]);
  expect(await statuses('PATCH', ({ service: { id } }) => `/services/${id}`, { name: 'x' })).toEqual([200, 404]);
  expect(await statuses('PATCH', ({ processes: [web] }) => `/processes/${web?.id}`, { replicas: 2 })).toEqual([
    200, 404,
  ]);
});

test('GET /projects/{id}/services with an environment: only what is there, as it is wanted there', async () => {
  const { id, staging, production } = await project();
  const both = await applied(await service(id, { name: 'both' }), [staging, production]);
  await service(id, { name: 'only staging' });
  const names = async (query: string) => {
    const { body } = await call('GET', `/projects/${id}/services${query}`);
    return (body.items as { name: string }[]).map(({ name }) => name);
  };
  expect(await names('')).toEqual(['both', 'only staging']);
  expect(await names(`?environmentId=${staging}`)).toEqual(['both', 'only staging']);
  expect(await names(`?environmentId=${production}`)).toEqual(['both']);
  expect(await names('?q=only')).toEqual(['only staging']);
  expect(both.service.id).toBeDefined();
});

test('every hint of what is in a project names the project, so that limited tokens hear of theirs', async () => {
  const { id } = await project();
  const made = await service(id, { name: 'api' });
  await call('PATCH', `/services/${made.service.id}`, { name: 'New', releaseCommand: ['x'] });
  await call('PATCH', `/processes/${made.processes[0]?.id}`, { replicas: 2 });
  const hints = await api.rows.all('change_feed', {
    organization_id: ours.organizationId,
    kind: ['project', 'environment', 'service', 'change_set'],
  });
  expect(new Set(hints.map(({ kind }) => kind)).size).toBe(4);
  expect(hints.filter((hint) => hint.project_id === null)).toEqual([]);
});
