import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { clusterLost } from '../../domain/notifications/messages.ts';
import { everyAdmin } from '../../domain/subjects.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { notify, type Recipients } from './notify.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('admins are hinted at together, anybody else and a single one by their own id', async () => {
  const { database } = fresh;
  const organizationId = await seedOrganization(database);
  const owner = await seedMember(database, organizationId, 'owner');
  const deployer = await seedMember(database, organizationId, 'deployer');
  const happen = async (to: Recipients, occasion: string = uuid()) => {
    await database.kysely.deleteFrom('change_feed').execute();
    await effect(database, machine, (telling) =>
      notify(telling, { organizationId, occasion, message: clusterLost({ clusterId: uuid(), name: 'Berlin' }), to }),
    );
    const rows = await database.kysely.selectFrom('change_feed').select('subject_id').execute();
    return rows.map((row) => row.subject_id).toSorted();
  };
  const requester = { kind: 'user', id: deployer } as const;
  expect(await happen({ admins: true, requester }, 'once')).toEqual([owner, deployer].toSorted());
  const admin = await seedMember(database, organizationId, 'admin');
  expect(await happen({ admins: true, requester })).toEqual([deployer, everyAdmin].toSorted());
  expect(await happen({ admins: true, except: { kind: 'user', id: admin } })).toEqual([owner]);
  expect(await happen({ requester })).toEqual([deployer]);
  // Told again, it is news to the admin who has come meanwhile, and to nobody else.
  expect(await happen({ admins: true, requester }, 'once')).toEqual([admin]);
  expect(await happen({ admins: true, requester }, 'once')).toEqual([]);
});
