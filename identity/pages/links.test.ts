import { expect, test } from 'vitest';
import { made, rightsOf, seedInvitation, seedOwner, usedLink } from '../../test/identity/provider-accounts.ts';
import { providerGround } from '../../test/identity/provider-ground.ts';
import { secretIn, totpOf } from '../../test/identity/totp.ts';
import { seedUser } from '../../test/seeds/seed.ts';

const { provider, password, newEmail } = providerGround();

test('an invitation makes an account for its address only, and insists on a second factor', async () => {
  const { invitationId, email } = await seedInvitation(provider, { requireMfa: true, organization: '<b>Acme</b>' });
  const guest = await provider.begin({ invitationId });
  expect(guest.text).toContain('Join &#60;b&#62;Acme&#60;/b&#62;');
  expect(guest.text).not.toContain('<b>Acme');
  const created = await guest.browser.post(`${guest.path}/create`, { name: 'Bo', email: 'eve@example.com', password });
  expect(created.text).toContain('lets in only those');
  expect((await guest.browser.post(`${guest.path}/not-now`, {})).text).toContain('lets in only those');
  const secret = secretIn((await guest.browser.get(`${guest.path}?view=app`)).text);
  await guest.browser.post(`${guest.path}/add-app`, { code: totpOf(secret) });
  const done = await guest.browser.post(`${guest.path}/finish`, {});
  expect(await guest.claims(done.path)).toMatchObject({ email, amr: ['pwd', 'otp', 'mfa'] });
});

test('a tab closed after an invited person has made an account: its password signs in, and it keeps what it was created for', async () => {
  const { invitationId, email } = await seedInvitation(provider);
  const guest = await provider.begin({ invitationId });
  expect(guest.text).not.toContain('Sign in with it');
  await guest.browser.post(`${guest.path}/create`, { name: 'Bo', email, password });
  expect(await rightsOf(provider, email)).toEqual({ for_first_owner: false, for_invitation: invitationId });
  const reopened = await provider.begin({ invitationId });
  expect(reopened.text).toContain('Sign in with it');
  const joined = await reopened.browser.post(`${reopened.path}/password`, { email, password });
  expect(await reopened.claims(joined.path)).toMatchObject({ email, amr: ['pwd'] });
});

test('an invited person who has an account signs in with that one', async () => {
  const owner = await made(provider, newEmail(), password);
  const other = await made(provider, newEmail(), password);
  const { invitationId } = await seedInvitation(provider, { email: owner.email });
  const guest = await provider.begin({ invitationId });
  expect(guest.text).toContain('Sign in to your account to accept.');
  const refused = await guest.browser.post(`${guest.path}/create`, { name: 'Eve', email: owner.email, password });
  expect(refused.text).toContain('Sign in to your account to accept.');
  // Whichever address the form says, it is the invitation's.
  const done = await guest.browser.post(`${guest.path}/password`, { email: other.email, password });
  expect(await guest.claims(done.path)).toMatchObject({ sub: owner.accountId });
});

test('without a link or an invitation there is no way to an account', async () => {
  const plain = await provider.begin();
  const tried = await plain.browser.post(`${plain.path}/create`, { name: 'Eve', email: newEmail(), password });
  expect(tried.text).toContain('Welcome back');
  const reset = await plain.browser.post(`${plain.path}/reset`, { password });
  expect(reset.text).toContain('Welcome back');
  expect(tried.text).not.toContain('Create one');
});

test('the permission ends with the attempt', async () => {
  const email = newEmail();
  const begun = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await provider.database.kysely
    .updateTable('sign_in_attempt')
    .set({ expires_at: new Date(0) })
    .execute();
  const late = await begun.browser.post(`${begun.path}/create`, { name: 'Eve', email, password });
  expect(late.text).toContain('This sign-in has expired');

  const second = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await seedOwner(provider);
  const tooLate = await second.browser.post(`${second.path}/create`, { name: 'Eve', email, password });
  expect(tooLate.text).toContain('Welcome back');
  const { count } = await provider.database.kysely
    .selectFrom('provider_account')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(0);
});

test('a reset link sets a new password, and takes second factors and sign-ins away', async () => {
  const person = await made(provider, newEmail(), password, 'with an app');
  const next = 'another horse battery';
  const reset = await provider.begin({
    signInLinkId: await usedLink(provider, 'reset', person.userId),
    browser: person.browser,
  });
  expect(reset.text).toContain('Set a new password');
  const short = await reset.browser.post(`${reset.path}/reset`, { password: 'short' });
  expect(short.text).toContain('This password is too short');
  const set = await reset.browser.post(`${reset.path}/reset`, { password: next });
  expect(set.text).toContain('Protect your account');
  const done = await reset.browser.post(`${reset.path}/not-now`, {});
  expect(await reset.claims(done.path)).toMatchObject({ sub: person.accountId, amr: ['pwd'] });

  const later = await provider.begin();
  const right = await later.browser.post(`${later.path}/password`, { email: person.email, password: next });
  expect(await later.claims(right.path)).toMatchObject({ sub: person.accountId, amr: ['pwd'] });
});

test('whoever moves to this provider makes an account for the known address, or uses the one there is', async () => {
  const mover = await seedUser(provider.database);
  const move = await provider.begin({ signInLinkId: await usedLink(provider, 'move', mover) });
  expect(move.text).toContain('Create your account');
  expect((await move.browser.get(`${move.path}?view=sign-in`)).text).toContain('Welcome back');
  await move.browser.post(`${move.path}/create`, { name: 'Ada', email: 'eve@example.com', password });
  const done = await move.browser.post(`${move.path}/not-now`, {});
  expect(await move.claims(done.path)).toMatchObject({ email: `${mover}@example.com` });

  const known = await made(provider, newEmail(), password);
  await provider.database.kysely
    .updateTable('app_user')
    .set({ email: known.email })
    .where('id', '=', known.userId)
    .execute();
  const back = await provider.begin({ signInLinkId: await usedLink(provider, 'move', known.userId) });
  const signedIn = await back.browser.post(`${back.path}/password`, { password });
  expect(await back.claims(signedIn.path)).toMatchObject({ sub: known.accountId });
});
