import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { WorkerProcesses } from '../../test/actors/worker-process.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

const workers = await WorkerProcesses.open();
const { fresh, home, namespace } = workers;
const api = await runningApi({ beside: { url: fresh.url, keysFile: join(home, 'keys.json') }, namespace });
const ours = await api.organization();
const place = await ours.place();
afterAll(async () => {
  workers.kill();
  await api.close();
  await workers.close();
});

/** A deployment whose agent never reports. */
async function deployment(number: number, at = place): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = at;
  const release = await seedRelease(api.database, at, number);
  const one = { id: uuid(), environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true };
  await api.effect((creating) =>
    admit(creating, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return one.id;
}

const get = async (path: string, as = ours.tokens.admin) => (await as.get(path)).body;
const down = /^The worker has been down since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: nothing that is under way goes on/;
const away = /^Temporal has not answered since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: nothing that is under way goes on/;

test('all that waits for a worker that was killed, or for Temporal, says so until it is back', async () => {
  const worker = workers.start();
  await worker.ready();
  const rolling = await deployment(1);
  await until('it rolls', async () => (await get(`/deployments/${rolling}`)).state === 'preparing');
  const blockerOf = async () => (await get(`/deployments/${rolling}`)).blocker;
  const before = await blockerOf();
  const stream = await readStream(api, `/api/v1/deployments/${rolling}/stream`, ours.tokens.viewer);
  const held = await deployment(2, await ours.place({ beside: place }));
  await api.sql`update deployment set waits_for = 'approval', message = 'Held.' where id = ${held}`;

  worker.child.kill('SIGKILL');
  await until('it waits for the worker', async () => (await blockerOf()) === 'worker');
  expect(await get(`/deployments/${rolling}`)).toMatchObject({
    state: 'preparing',
    message: expect.stringMatching(down),
  });
  expect(await get(`/workflows/${rolling}`)).toMatchObject({ stuck: false, blocker: expect.stringMatching(down) });
  expect(await get(`/deployments/${rolling}/why`)).toMatchObject({ items: [{ blocker: 'worker' }] });
  expect(await get(`/environments/${place.environmentId}/overview`)).toMatchObject({
    services: expect.arrayContaining([expect.objectContaining({ serviceId: place.serviceId, blocker: 'worker' })]),
  });
  expect((await api.call('GET', '/readyz')).body).toMatchObject({
    parts: { worker: { ready: false, detail: expect.stringMatching(down) } },
  });
  await until('the stream says so', async () => stream.events('state').at(-1)?.blocker === 'worker');
  // A person ends this wait, whichever part is down.
  expect(await get(`/deployments/${held}`)).toMatchObject({ blocker: 'approval', message: 'Held.' });

  const next = workers.start();
  await next.ready();
  await until('it waits for nothing of ours', async () => (await blockerOf()) === before);

  await workers.temporal.cut();
  await until('it waits for Temporal', async () => (await blockerOf()) === 'temporal');
  expect(await get(`/deployments/${rolling}`)).toMatchObject({ message: expect.stringMatching(away) });
  await workers.temporal.restore();
  await until('Temporal is back', async () => (await blockerOf()) === before);
  stream.stop();
});
