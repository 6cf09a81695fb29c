import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours } = await ownApi({ env: { PROCESSES_PER_SERVICE: '3' } });

const { project, service, call, staged, applied } = madeProjects(
  () => ({ api, as: ours.tokens.deployer }),
  () => ours,
);

async function inBoth() {
  const { id, staging, production } = await project();
  const made = await applied(await service(id, { name: 'api' }), [staging, production]);
  const [web] = made.processes;
  return { staging, production, service: made.service.id, web: web?.id ?? '' };
}

describe('PATCH /processes/{id}', () => {
  test('changes the definition and stages each field wherever the service is', async () => {
    const { staging, production, web } = await inBoth();
    const changed = await call('PATCH', `/processes/${web}`, { replicas: 3, memoryLimitBytes: 64_000_000 });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({ name: 'web', replicas: 3, memoryLimitBytes: 64_000_000 });
    for (const environment of [staging, production]) {
      expect(await staged(environment)).toMatchObject([
        { kind: 'process.set', key: 'replicas', from: '1', to: '3' },
        { kind: 'process.set', key: 'memoryLimitBytes', from: '', to: '64000000' },
      ]);
    }
    expect((await call('GET', `/processes/${web}`)).body.replicas).toBe(3);
  });

  test('null takes away; what is set back to what runs is staged no more', async () => {
    const { staging, web } = await inBoth();
    const path = `/processes/${web}?environmentId=${staging}`;
    await call('PATCH', path, { memoryLimitBytes: 64_000_000 });
    expect((await staged(staging)).length).toBe(1);
    const changed = await call('PATCH', path, { memoryLimitBytes: null });
    expect(changed.body).not.toHaveProperty('memoryLimitBytes');
    expect(await staged(staging)).toEqual([]);
  });

  test('with an environment the change is staged there alone', async () => {
    const { staging, production, web, service: id } = await inBoth();
    await call('PATCH', `/processes/${web}?environmentId=${production}`, { replicas: 5 });
    const replicas = async (query: string) => (await call('GET', `/processes/${web}${query}`)).body.replicas;
    expect(await staged(staging)).toEqual([]);
    expect([await replicas(''), await replicas(`?environmentId=${staging}`)]).toEqual([1, 1]);
    expect(await replicas(`?environmentId=${production}`)).toBe(5);
    const listed = await call('GET', `/services/${id}/processes?environmentId=${production}`);
    expect(listed.body.items).toMatchObject([{ id: web, name: 'web', replicas: 5 }]);
  });

  // Of all that is refused nothing is written, so that they may share a service.
  let refusing: ReturnType<typeof inBoth> | undefined;
  test.each<[object, string]>([
    [{ port: null }, 'body.port'],
    [{ kind: 'cron' }, 'body.schedule'],
    [{ schedule: '0 3 * * *' }, 'body.schedule'],
    [{ kind: 'cron', schedule: '* * *' }, 'body.schedule'],
    [{ cpuRequestMilli: 500, cpuLimitMilli: 100 }, 'body.cpuRequestMilli'],
    [{ runAsUser: 0 }, 'body.runAsUser'],
  ])('422 for %j, and nothing is staged', async (body, location) => {
    refusing ??= inBoth();
    const { staging, web } = await refusing;
    const refused = await call('PATCH', `/processes/${web}`, body);
    expect(refused.status, refused.text).toBe(422);
    expect((refused.body.errors as { location: string }[])[0]?.location).toBe(location);
    expect(await staged(staging)).toEqual([]);
  });

  test('422 that names the environment where the change does not fit', async () => {
    const { production, web } = await inBoth();
    await call('PATCH', `/processes/${web}?environmentId=${production}`, { memoryLimitBytes: 8_000_000 });
    const refused = await call('PATCH', `/processes/${web}`, { memoryRequestBytes: 9_000_000 });
    expect(refused.body.errors).toMatchObject([{ location: 'body.memoryRequestBytes' }]);
    expect(refused.body.detail).toContain('"Production"');
  });

  test('409 if it is not as the client saw it', async () => {
    const { web } = await inBoth();
    await call('PATCH', `/processes/${web}`, { replicas: 2 });
    const late = await call('PATCH', `/processes/${web}`, { replicas: 4, was: { replicas: 1 } });
    expect([late.status, late.body.meanwhile]).toMatchObject([409, [{ location: 'body.replicas', value: 2 }]]);
  });
});

describe('POST /services/{id}/processes and DELETE /processes/{id}', () => {
  test('a process is staged wherever the service is, and forgotten if it never ran', async () => {
    const { staging, production, service: id } = await inBoth();
    const made = ok(await call('POST', `/services/${id}/processes`, { name: 'worker', kind: 'worker' }), 201);
    expect(made).toMatchObject({ name: 'worker', kind: 'worker', replicas: 1 });
    expect(made).not.toHaveProperty('port');
    for (const environment of [staging, production]) {
      expect(await staged(environment)).toMatchObject([{ kind: 'process.create', processId: made.id }]);
    }
    expect((await call('DELETE', `/processes/${made.id}`)).status).toBe(204);
    for (const environment of [staging, production]) expect(await staged(environment)).toEqual([]);
  });

  test('a process that runs stays until its removal is applied', async () => {
    const { id, staging } = await project();
    const made = await service(id, { name: 'api' });
    await call('POST', `/services/${made.service.id}/processes`, { name: 'worker', kind: 'worker' });
    await applied(made, [staging]);
    const [web] = made.processes;
    expect((await call('DELETE', `/processes/${web?.id}`)).status).toBe(204);
    expect(await staged(staging)).toMatchObject([{ kind: 'process.delete', processId: web?.id }]);
    const there = await call('GET', `/services/${made.service.id}/processes?environmentId=${staging}`);
    expect(there.body.items).toMatchObject([{ name: 'worker' }]);
  });

  test('409 for the only process of a service, and for a name that is taken', async () => {
    const { service: id, web } = await inBoth();
    expectProblem(await call('DELETE', `/processes/${web}`), 409, 'only process');
    const again = await call('POST', `/services/${id}/processes`, { name: 'web', port: 9 });
    expect(again.body.errors).toMatchObject([{ location: 'body.name' }]);
  });

  test('409 beyond the quota', async () => {
    const { service: id } = await inBoth();
    for (const name of ['two', 'three', 'four']) {
      const { status } = await call('POST', `/services/${id}/processes`, { name, kind: 'worker' });
      expect(status).toBe(name === 'four' ? 409 : 201);
    }
  });
});
