import { expect, test } from 'vitest';
import { PageVisitor } from '../../test/browsers/page-visitor.ts';
import { made, rightsOf, usedLink } from '../../test/identity/provider-accounts.ts';
import { providerGround, wrongPassword } from '../../test/identity/provider-ground.ts';
import { challengeIn, SoftwareAuthenticator } from '../../test/identity/software-authenticator.ts';
import { secretIn, totpOf } from '../../test/identity/totp.ts';
import { countGuess } from '../accounts/passwords/guesses.ts';
import { Refusal } from '../accounts/refusal.ts';

const { provider, password, newEmail } = providerGround();

test('the first owner makes an account, then signs in with it', async () => {
  const first = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  expect(first.text).toContain('Create the first account');
  const created = await first.browser.post(`${first.path}/create`, { name: 'Ada', email: 'ada@example.com', password });
  expect(created.text).toContain('Protect your account');
  const done = await first.browser.post(`${first.path}/not-now`, {});
  const claims = await first.claims(done.path);
  expect(claims).toMatchObject({ name: 'Ada', email: 'ada@example.com', email_verified: false, amr: ['pwd'] });
  expect(await rightsOf(provider, 'ada@example.com')).toEqual({ for_first_owner: true, for_invitation: null });

  const second = await provider.begin();
  expect(second.text).toContain('Welcome back');
  const { email } = await made(provider, newEmail(), password);
  const wrong = await second.browser.post(`${second.path}/password`, { email, password: 'nonsense' });
  const unknown = await second.browser.post(`${second.path}/password`, { email: 'eve@example.com', password });
  expect([wrong.status, unknown.status]).toEqual([422, 422]);
  expect(wrong.text).toContain(wrongPassword);
  expect(unknown.text).toContain(wrongPassword);
  const right = await second.browser.post(`${second.path}/password`, { email: 'Ada@Example.com', password });
  expect(await second.claims(right.path)).toMatchObject({ sub: claims.sub, amr: ['pwd'] });
  expect(JSON.stringify(provider.lines)).not.toContain(password);
});

test('an authenticator app is set up, asked for, and its code is good once', async () => {
  const email = newEmail();
  const first = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await first.browser.post(`${first.path}/create`, { name: 'Ada', email, password });
  const setup = await first.browser.get(`${first.path}?view=app`);
  const secret = secretIn(setup.text);
  const [code, next] = [totpOf(secret), totpOf(secret, 1)];
  const wrong = await first.browser.post(`${first.path}/add-app`, { code: '000000' });
  expect(wrong.text).toContain('This is not the code of the app');
  expect(secretIn(wrong.text)).toBe(secret);
  const codes = await first.browser.post(`${first.path}/add-app`, { code });
  const recovery = [...codes.text.matchAll(/<li><code>([\w-]+)<\/code>/g)].map((match) => String(match[1]));
  expect(recovery).toHaveLength(8);
  expect((await first.browser.get(first.path)).text).not.toContain(recovery[0]);
  const done = await first.browser.post(`${first.path}/finish`, {});
  expect(await first.claims(done.path)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });

  const second = await provider.begin();
  const asked = await second.browser.post(`${second.path}/password`, { email, password });
  expect(asked.text).toContain('Make sure that it is you');
  const skipped = await second.browser.post(`${second.path}/not-now`, {});
  expect(skipped.text).toContain('Make sure that it is you');
  const replayed = await second.browser.post(`${second.path}/code`, { code });
  expect(replayed.text).toContain('was used already');
  const right = await second.browser.post(`${second.path}/code`, { code: next });
  expect(await second.claims(right.path)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });

  const third = await provider.begin();
  await third.browser.post(`${third.path}/password`, { email, password });
  const again = await third.browser.post(`${third.path}/code`, { code: next });
  expect(again.status).toBe(422);
  const written = String(recovery[0]).toUpperCase().replaceAll('-', ' ');
  const recovered = await third.browser.post(`${third.path}/recovery`, { recovery: written });
  expect(await third.claims(recovered.path)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
});

test('a passkey is set up, signs in alone, and stands beside the password', async () => {
  const email = newEmail();
  const device = new SoftwareAuthenticator(provider.url);
  const first = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  const choice = await first.browser.post(`${first.path}/create`, { name: 'Ada', email, password });
  const elsewhere = device.create({ challenge: challengeIn(choice.text), origin: 'https://evil.example.com' });
  const refused = await first.browser.post(`${first.path}/add-passkey`, { answer: elsewhere });
  expect(refused.text).toContain('could not be added');
  const codes = await first.browser.post(`${first.path}/add-passkey`, {
    answer: device.create({ challenge: challengeIn(refused.text) }),
  });
  expect(codes.text).toContain('recovery codes');
  const done = await first.browser.post(`${first.path}/finish`, {});
  expect(await first.claims(done.path)).toMatchObject({ amr: ['pwd', 'hwk', 'mfa'] });

  const alone = await provider.begin();
  const unverified = device.get({ challenge: challengeIn(alone.text), userVerified: false });
  const present = await alone.browser.post(`${alone.path}/passkey`, { answer: unverified });
  expect(present.text).toContain('This passkey is not known here');
  const answer = device.get({ challenge: challengeIn(present.text) });
  const signedIn = await alone.browser.post(`${alone.path}/passkey`, { answer });
  expect(await alone.claims(signedIn.path)).toMatchObject({ email, amr: ['hwk', 'user', 'mfa'] });

  const replay = await provider.begin();
  expect((await replay.browser.post(`${replay.path}/passkey`, { answer })).text).toContain('not known here');
  const stranger = new SoftwareAuthenticator(provider.url);
  const shown = await replay.browser.get(replay.path);
  const strange = await replay.browser.post(`${replay.path}/passkey`, {
    answer: stranger.get({ challenge: challengeIn(shown.text) }),
  });
  expect(strange.text).toContain('not known here');

  const both = await provider.begin();
  const asked = await both.browser.post(`${both.path}/password`, { email, password });
  const second = await both.browser.post(`${both.path}/factor-passkey`, {
    answer: device.get({ challenge: challengeIn(asked.text), userVerified: false }),
  });
  expect(await both.claims(second.path)).toMatchObject({ amr: ['pwd', 'hwk', 'mfa'] });
});

test('whoever reads the address of a sign-in later cannot use the link behind it', async () => {
  const person = await made(provider, newEmail(), password);
  const link = await usedLink(provider, 'reset', person.userId);
  const first = await provider.begin({ signInLinkId: link });
  expect(first.text).toContain('Set a new password');
  const stranger = new PageVisitor(provider.url);
  expect((await stranger.get(first.begunAt)).text).toContain('This sign-in has expired');
  expect((await first.browser.get(first.path)).text).toContain('Set a new password');
});

test('a form from elsewhere, of another browser, or of no browser is refused', async () => {
  const begun = await provider.begin();
  const fields = { email: 'ada@example.com', password };
  for (const headers of [{ origin: 'https://evil.example.com' }, { origin: 'null' }]) {
    const refused = await begun.browser.post(`${begun.path}/password`, fields, headers);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('not sent from a page of this')]);
  }
  const other = await provider.begin();
  expect((await other.browser.post(`${begun.path}/password`, fields)).text).toContain('This sign-in has expired');
  const json = await begun.browser.post(`${begun.path}/password`, fields, { 'content-type': 'application/json' });
  expect([json.status, json.text]).toEqual([400, expect.stringContaining('carries no form')]);
  const large = await begun.browser.post(`${begun.path}/password`, { ...fields, password: 'x'.repeat(70_000) });
  expect([large.status, large.text]).toEqual([400, expect.stringContaining('too large')]);
});

test('too many guesses must wait, and are told how long', async () => {
  const begun = await provider.begin();
  const email = newEmail();
  const guess = () =>
    begun.browser.post(`${begun.path}/password`, { email, password }, { 'x-forwarded-for': '9.9.9.9' });
  // The others are counted without the cost of a password.
  const others = async (): Promise<void> => {
    for (let guesses = 0; guesses < 21; guesses += 1)
      await countGuess(provider.database.kysely, { email, address: '9.9.9.9' });
  };
  await expect(others()).rejects.toThrow(Refusal);
  let last = await guess();
  // A minute may end in between, once.
  if (last.status === 422) {
    await expect(others()).rejects.toThrow(Refusal);
    last = await guess();
  }
  expect(last.status).toBe(429);
  expect(last.text).toMatch(/There were too many attempts; try again in \d+ seconds?\./);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});
