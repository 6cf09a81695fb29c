import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createInvitation } from '../../db/invitations/invite.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { listMemberships } from '../../db/organizations/organizations.ts';
import { verifyEmail } from '../../db/users/users.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { admitPerson } from './admit-person.ts';

const email = 'victim@corp.example';
const settings = readSettings({});
let fresh: FreshDatabase;

beforeAll(async () => {
  fresh = await freshDatabase({ poolMax: 2 });
});
afterAll(() => fresh.drop());

async function invite(): Promise<string> {
  const organizationId = await seedOrganization(fresh.database);
  const made = await effect(fresh.database, machine, (inviting) =>
    createInvitation(inviting, { organizationId, email, role: 'viewer', lifetimeMillis: 60_000, asRole: 'owner' }),
  );
  return made.invitation.id;
}

const comes = (providerId: string, subject: string, invitationId: string, emailVerified = false) =>
  effect(fresh.database, machine, (admitting) =>
    admitPerson(
      admitting,
      settings,
      { providerId, subject, amr: [], profile: { name: 'V', email, emailVerified, picture: null, mfa: false } },
      { signInLinkId: null, invitationId },
    ),
  );

test('an account made for an invitation accepts that one alone, until somebody vouches for its address', async () => {
  const subject = uuid();
  const { kysely } = fresh.database;
  await kysely
    .insertInto('provider_account')
    .values({ id: subject, name: 'V', email, password_hash: 'none' })
    .execute();
  const { userId } = await comes(builtInProviderId, subject, await invite());
  const user = await kysely.selectFrom('app_user').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  expect(user.email_verified).toBe(false);
  const second = await invite();
  await expect(comes(builtInProviderId, subject, second)).rejects.toThrow('ballast user verify');
  expect(await listMemberships(kysely, userId, { limit: 10 })).toHaveLength(1);

  const vouch = () => effect(fresh.database, machine, (vouching) => verifyEmail(vouching, { id: userId, name: 'V' }));
  expect([await vouch(), await vouch()]).toEqual([true, false]);
  await comes(builtInProviderId, subject, second, true);
  expect(await listMemberships(kysely, userId, { limit: 10 })).toHaveLength(2);
});

test('another provider has to vouch for the address, also of who comes for the first time', async () => {
  await expect(comes('https://id.example.com', 'x', await invite())).rejects.toThrow('does not vouch for your address');
});
