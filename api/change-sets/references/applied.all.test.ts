import { expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import { referencesGround } from '../../../test/references/references-ground.ts';

const { at, api, db, add, set, contentOf, releaseIdOf, allLive } = referencesGround();
const { apply, call, stage } = at;

test('another port of a process that is referred to is another value', async () => {
  await stage(at.staging, add(api), add(db), set(api, 'A', '${{db.URL}}'));
  await allLive(await apply(at.staging));
  await stage(at.staging, { kind: 'process.set', processId: db.processId, key: 'port', value: 9090 });
  const { deployments } = await apply(at.staging);
  expect(deployments.map(({ serviceId }) => serviceId)).toEqual([db.serviceId, api.serviceId]);
});

test('a rollback runs the values of then and brings back what was written', async () => {
  await stage(
    at.staging,
    add(api),
    add(db),
    set(db, 'D', '1'),
    set(api, 'A', '${{db.D}}', { secret: true }),
    set(api, 'P', '${{db.D}}'),
  );
  const first = await apply(at.staging);
  await allLive(first);
  await stage(at.staging, set(api, 'A', 'other', { secret: false }), set(api, 'P', 'other'));
  await allLive(await apply(at.staging));
  const releaseId = releaseIdOf(first, api);
  ok(await call('POST', `/releases/${releaseId}/rollback`, { queue: true }), 201);
  await stage(at.staging, set(db, 'D', '2'));
  const { deployments } = await apply(at.staging);
  expect(deployments.map(({ serviceId }) => serviceId)).toEqual([db.serviceId, api.serviceId]);
  const again = deployments[1]?.releaseId ?? '';
  expect(await at.secretsOf(again)).toEqual({ A: '2', 'written:A': '${{db.D}}' });
  expect((await contentOf(again)).content).toMatchObject({
    variables: { P: '2' },
    references: { written: { P: '${{db.D}}' } },
  });
});
