import { expect, test } from 'vitest';
import { applyGround } from '../../test/seeds/apply-ground.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const at = applyGround();
const { apply, call, finish, goLive, stage } = at;

type Service = { serviceId: string; slug: string };
const add = ({ serviceId }: Service) => ({ kind: 'service.create', serviceId });
const dependsOn = ({ serviceId }: Service, ...on: Service[]) => ({
  ...{ kind: 'service.set', serviceId, key: 'dependsOn', value: on.map(({ slug }) => slug) },
});

async function services(count: number): Promise<Service[]> {
  const place = { organizationId: at.ours.organizationId, projectId: at.projectId };
  const seeding = Array.from({ length: count }, () =>
    seedService(at.api.database, place, { image: `${at.host}/app:1` }),
  );
  return await Promise.all(seeding);
}

const deployment = async (id: string) =>
  (await call('GET', `/deployments/${id}`)).body as { state: string; blocker: string; message: string };

test('services are deployed in the order of what they depend on, in parallel where they can; those after one that fails end', async () => {
  const [api, db, worker, other] = (await services(4)) as [Service, Service, Service, Service];
  await stage(at.staging, ...[api, db, worker, other].map(add), dependsOn(api, db), dependsOn(worker, api));
  const { deployments, changeSet } = await apply(at.staging);
  const of = ({ serviceId }: Service) => deployments.find((one) => one.serviceId === serviceId)?.id ?? '';
  const states = async () =>
    await Promise.all([db, other, api, worker].map(async (one) => (await deployment(of(one))).blocker));
  expect(await states()).toEqual(['', '', 'dependency', 'dependency']);
  expect((await deployment(of(api))).message).toContain(`"${db.slug}"`);
  await goLive(of(db));
  expect(await states()).toEqual(['', '', '', 'dependency']);
  await finish(of(api), 'failed');
  expect(await deployment(of(worker))).toMatchObject({
    ...{ state: 'cancelled', blocker: 'dependency' },
    message: expect.stringContaining(`"${api.slug}", on which it depends, did not go live`),
  });
  expect(await deployment(of(other))).toMatchObject({ state: 'pending' });
  await goLive(of(other));
  expect((await call('POST', `/change-sets/${changeSet.id}/retry`)).status).toBe(409);
});
