import { afterAll, beforeAll, expect, test } from 'vitest';
import { withdraw } from '../../db/deployments/withdraw.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { deleteService } from '../../db/services/removal/delete-service.ts';
import { findService } from '../../db/services/services.ts';
import { type Asked, DeploymentGround } from '../../test/actors/grounds/deployment-ground.ts';

const at = new DeploymentGround();
const { becomes, deliver, deploy, handle, run, slice, told, place: seeded } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

async function remove({ place }: Asked, { wait = false } = {}): Promise<void> {
  const service = await findService(at.actors.database.kysely, at.organizationId, place.serviceId);
  if (service === undefined) throw new Error('The service is not there.');
  expect(await run((deleting) => deleteService(deleting, service, { check: () => undefined, wait }))).toBe(true);
}

test('deleted while it rolls: asked to cancel, it ends, and its workload leaves the cluster with it', async () => {
  const asked = await deploy(await seeded(), 1);
  await becomes(asked, 'preparing');
  await remove(asked);
  await deliver(asked);
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
});

test('deleted while it rolls, with leave to end: the workload stays until then, also past the switch', async () => {
  const place = await seeded();
  const asked = await deploy(place, 1);
  await becomes(asked, 'preparing');
  await remove(asked, { wait: true });
  expect((await slice(asked))?.removedAt).toBeNull();
  await told(asked, 'done');
  expect(await handle(asked).result()).toBe('live');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
  const late = await deploy(await seeded(), 1);
  await becomes(late, 'preparing');
  await told(late, 'draining');
  await becomes(late, 'draining');
  await remove(late);
  expect((await slice(late))?.removedAt).toBeNull();
  await told(late, 'done');
  expect(await handle(late).result()).toBe('live');
  expect((await slice(late))?.removedAt).toBeInstanceOf(Date);
});

test('taken out of the environment while it rolls, it leaves the cluster for good', async () => {
  const asked = await deploy(await seeded(), 1);
  await becomes(asked, 'preparing');
  const { environmentId, serviceId, projectId } = asked.place;
  await run(async (removing) => {
    await withdraw(removing, { organizationId: at.organizationId, projectId, environmentId, serviceId });
    const own = tenant(removing.kysely, at.organizationId);
    await own.deleteFrom('environment_service').where('service_id', '=', serviceId).execute();
  });
  await deliver(asked);
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
});
