import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createInvitation } from '../../db/invitations/invite.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { listMemberships } from '../../db/organizations/organizations.ts';
import { acrossTenants } from '../../db/postgres/tenant.ts';
import { verifyEmail } from '../../db/users/users.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { admitPerson } from './admit-person.ts';

const email = 'victim@corp.example';
const settings = readSettings({ SIGN_IN_EMAIL_DOMAINS: 'allowed.example' });

const fresh = await freshDatabase({ poolMax: 2 });
afterAll(() => fresh.drop());

async function invite(): Promise<string> {
  const organizationId = await seedOrganization(fresh.database);
  const made = await effect(fresh.database, machine, (inviting) =>
    createInvitation(inviting, { organizationId, email, role: 'viewer', lifetimeMillis: 60_000, asRole: 'owner' }),
  );
  return made.invitation.id;
}

const comes = (
  providerId: string,
  subject: string,
  invitationId: string | null,
  emailVerified = false,
  address = email,
) =>
  effect(fresh.database, machine, (admitting) =>
    admitPerson(
      admitting,
      settings,
      {
        providerId,
        subject,
        amr: [],
        profile: { name: 'V', email: address, emailVerified, picture: null, mfa: false },
      },
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

/** An account whose first sign-in was left half way: a tab was closed. */
async function leftHalfWay(rights: { for_first_owner?: boolean; for_invitation?: string }): Promise<string> {
  const id = uuid();
  await fresh.database.kysely
    .insertInto('provider_account')
    .values({ id, name: 'V', email: `${id}@example.com`, password_hash: 'none', ...rights })
    .execute();
  return id;
}

test('an account created for an invitation that comes back without it accepts it, once and only at its own provider', async () => {
  const { kysely } = fresh.database;
  const subject = await leftHalfWay({ for_invitation: await invite() });
  await expect(comes('https://id.example.com', subject, null)).rejects.toThrow();
  const { userId } = await comes(builtInProviderId, subject, null);
  expect(await listMemberships(kysely, userId, { limit: 10 })).toMatchObject([{ role: 'viewer' }]);
  expect(await comes(builtInProviderId, subject, null)).toEqual({ userId });
  const revoked = await leftHalfWay({ for_invitation: uuid() });
  await expect(comes(builtInProviderId, revoked, null)).rejects.toThrow();
});

test('a kept invitation that is over gives nothing, and keeps nobody out whose domain is allowed', async () => {
  const { kysely } = fresh.database;
  for (const over of [{ expires_at: sql<Date>`now() - interval '1 second'` }, { accepted_at: sql<Date>`now()` }]) {
    const invitation = await invite();
    await acrossTenants(kysely).updateTable('invitation').set(over).where('id', '=', invitation).execute();
    const subject = await leftHalfWay({ for_invitation: invitation });
    const there = `${subject}@allowed.example`;
    await expect(comes(builtInProviderId, subject, null)).rejects.toThrow('no owner yet');
    // Its invitation would have vouched for the address.
    await expect(comes(builtInProviderId, subject, null, false, there)).rejects.toThrow('does not vouch');
    const { userId } = await comes(builtInProviderId, subject, null, true, there);
    expect(await listMemberships(kysely, userId, { limit: 10 })).toEqual([]);
  }
});

test('an account created for the first owner that comes back without the link becomes it, and no other one after it', async () => {
  const { kysely } = fresh.database;
  const [first, second, ordinary] = [
    await leftHalfWay({ for_first_owner: true }),
    await leftHalfWay({ for_first_owner: true }),
    await leftHalfWay({}),
  ];
  await expect(comes(builtInProviderId, ordinary, null)).rejects.toThrow('no owner yet');
  await expect(comes('https://id.example.com', first, null)).rejects.toThrow('no owner yet');
  const { userId } = await comes(builtInProviderId, first, null);
  expect(await listMemberships(kysely, userId, { limit: 10 })).toMatchObject([{ role: 'owner' }]);
  await expect(comes(builtInProviderId, second, null)).rejects.toThrow('You have no account here');
  // Not even when all owners are gone: the right was that of a link of a quarter of an hour.
  await kysely.deleteFrom('membership').where('user_id', '=', userId).execute();
  await expect(comes(builtInProviderId, second, null)).rejects.toThrow('no owner yet');
});
