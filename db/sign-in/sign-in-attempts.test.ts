import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { createInvitation, revokeInvitation } from '../invitations/invite.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import { attemptOfBrowser, attemptOfState, beginAttempt, takeAttempt } from './sign-in-attempts.ts';
import { createSignInLink, ownerExists, useSignInLink } from './sign-in-links.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const kysely = () => fresh.database.kysely;
const inEffect = <T>(work: Parameters<typeof effect<T>>[2]) => effect(fresh.database, machine, work);

async function begin(more: { signInLinkId?: string; invitationId?: string } = {}) {
  const [browser, state] = [newSecret(), newSecret()];
  const hashes = { browserHash: hashSecret(browser), stateHash: hashSecret(state) };
  const { id } = await beginAttempt(kysely(), { ...hashes, returnTo: '/x', userAgent: 'test', ...more });
  return { id, state, ...hashes };
}

test('an attempt is found by its state and its browser for ten minutes, and is taken once', async () => {
  const { id, state, browserHash } = await begin();
  const found = { id, returnTo: '/x', expiresAt: expect.any(Date) };
  expect(await attemptOfState(kysely(), state)).toEqual(found);
  expect(await attemptOfBrowser(kysely(), browserHash)).toEqual(found);
  expect(await attemptOfState(kysely(), newSecret())).toBeUndefined();
  const taken = await Promise.all([1, 2, 3].map(() => takeAttempt(kysely(), browserHash)));
  expect(taken.filter((one) => one !== undefined)).toEqual([expect.objectContaining({ id, expired: false })]);

  const late = await begin();
  await sql`update sign_in_attempt set expires_at = now() - interval '1 second' where id = ${late.id}`.execute(
    kysely(),
  );
  expect(await attemptOfState(kysely(), late.state)).toBeUndefined();
  expect(await takeAttempt(kysely(), late.browserHash)).toMatchObject({ id: late.id, expired: true });
});

test('a link for the first owner counts until there is one', async () => {
  expect(await ownerExists(kysely())).toBe(false);
  const { secret } = await inEffect((running) => createSignInLink(running, { kind: 'first-owner' }));
  const unused = await inEffect((running) => createSignInLink(running, { kind: 'first-owner' }));
  const link = await inEffect((running) => useSignInLink(running, secret));
  expect(await inEffect((running) => useSignInLink(running, secret))).toBeUndefined();
  const { state } = await begin({ signInLinkId: String(link?.id) });
  expect(await attemptOfState(kysely(), state)).toMatchObject({ link: { id: link?.id, kind: 'first-owner' } });
  await seedMember(fresh.database, await seedOrganization(fresh.database), 'owner');
  expect(await attemptOfState(kysely(), state)).not.toHaveProperty('link');
  expect(await inEffect((running) => useSignInLink(running, unused.secret))).toBeUndefined();
  await expect(inEffect((running) => createSignInLink(running, { kind: 'first-owner' }))).rejects.toThrow(
    'There is an owner already',
  );
});

test('a link for an account says whose', async () => {
  const userId = await seedUser(fresh.database, 'Ada');
  const { secret } = await inEffect((running) => createSignInLink(running, { kind: 'reset', userId }));
  const link = await inEffect((running) => useSignInLink(running, secret));
  const { state } = await begin({ signInLinkId: String(link?.id) });
  expect((await attemptOfState(kysely(), state))?.link).toEqual({
    id: link?.id,
    kind: 'reset',
    user: { id: userId, email: `${userId}@example.com`, name: 'Ada' },
  });
});

test('an invitation counts while it can be accepted', async () => {
  const organizationId = await seedOrganization(fresh.database, `o-${uuid()}`);
  const invited = { organizationId, email: 'guest@example.com', role: 'viewer', lifetimeMillis: 60_000 } as const;
  const { invitation } = await inEffect((running) => createInvitation(running, { ...invited, asRole: 'owner' }));
  const { id } = invitation;
  const { state } = await begin({ invitationId: id });
  const seen = async () => (await attemptOfState(kysely(), state))?.invitation;
  expect(await seen()).toEqual({
    id,
    email: 'guest@example.com',
    organizationName: invitation.organizationName,
    invitedByName: 'test',
    requireMfa: false,
  });
  const expiry = (at: string) => sql`update invitation set expires_at = ${at} where id = ${id}`.execute(kysely());
  await expiry('2000-01-01');
  expect(await seen()).toBeUndefined();
  await expiry('2999-01-01');
  expect(await seen()).toBeDefined();
  await inEffect((running) => revokeInvitation(running, { organizationId, id, asRole: 'owner' }));
  expect(await seen()).toBeUndefined();
});
