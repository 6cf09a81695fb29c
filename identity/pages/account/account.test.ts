import { expect, test } from 'vitest';
import { made } from '../../../test/identity/provider-accounts.ts';
import { providerGround } from '../../../test/identity/provider-ground.ts';
import { challengeIn, SoftwareAuthenticator } from '../../../test/identity/software-authenticator.ts';
import { secretIn, totpOf } from '../../../test/identity/totp.ts';
import { isOutdated } from '../../accounts/passwords/password.ts';

const { provider, password, newEmail } = providerGround();

test('nobody sees or changes an account without being signed in at the provider', async () => {
  const { browser } = await provider.begin();
  const page = await browser.get('/oidc/account');
  expect(page.text).toContain('Sign in to see it');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect((await browser.post('/oidc/account/password', { password })).status).toBe(403);
});

test('a change wants the password, from a page of ours', async () => {
  const { browser, email } = await made(provider, newEmail(), password);
  expect((await browser.get('/oidc/account')).text).toContain(email);
  const next = { password: 'wrong horse battery', 'new-password': 'another horse battery' };
  const wrong = await browser.post('/oidc/account/password', next);
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('This is not your password')]);
  const elsewhere = await browser.post(
    '/oidc/account/password',
    { ...next, password },
    { origin: 'https://evil.example.com' },
  );
  expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('not sent from a page of this')]);
});

test('a changed password signs the person out everywhere else', async () => {
  const { browser, email, accountId } = await made(provider, newEmail(), password);
  const elsewhere = await provider.signedIn(accountId);
  expect((await elsewhere.get('/oidc/account')).text).toContain(email);
  const changed = await browser.post('/oidc/account/password', { password, 'new-password': 'another horse battery' });
  expect(changed.text).toContain('Your password is changed');
  expect((await elsewhere.get('/oidc/account')).text).toContain('Sign in to see it');
  expect((await browser.get('/oidc/account')).text).toContain(email);
  const said = await provider.database.kysely
    .selectFrom('audit_record')
    .selectAll()
    .where('action', '=', 'account.password_changed')
    .where('subject_id', '=', accountId)
    .execute();
  expect(said).toMatchObject([{ actor_kind: 'user', organization_id: null, ip: expect.any(String) }]);
  expect(JSON.stringify(said)).not.toContain('horse');
});

test('an app that is added here counts at the very next sign-in', async () => {
  const { browser, secret: _ } = await made(provider, newEmail(), password);
  const secret = secretIn((await browser.get('/oidc/account?view=app')).text);
  const added = await browser.post('/oidc/account/add-app', { code: totpOf(secret), password });
  expect(added.text).toContain('Note down your recovery codes');
  expect((await browser.get('/oidc/account')).text).toContain('8 are left');
  const next = await provider.begin({ browser });
  expect(await next.claims(next.path)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });

  const renewed = await browser.post('/oidc/account/new-codes', { password });
  expect(renewed.text.match(/<li><code>/g)).toHaveLength(8);
  const removed = await browser.post('/oidc/account/remove-app', { password });
  expect(removed.text).toContain('The authenticator app is removed.');
  const last = await provider.begin({ browser });
  expect(await last.claims(last.path)).toMatchObject({ amr: ['pwd'] });
});

test('a passkey is added by its name, and removed only by its owner', async () => {
  const { browser, accountId } = await made(provider, newEmail(), password);
  const device = new SoftwareAuthenticator(provider.url);
  const page = await browser.get('/oidc/account');
  const answer = device.create({ challenge: challengeIn(page.text) });
  const name = '<script>alert(1)</script>';
  const added = await browser.post('/oidc/account/add-passkey', { answer, password, 'passkey-name': name });
  expect(added.text).toContain('Note down your recovery codes');
  // Its owner has just shown the password, so it is stored at the cost of today.
  const { password_hash: stored } = await provider.database.kysely
    .selectFrom('provider_account')
    .select('password_hash')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  expect(isOutdated(stored)).toBe(false);
  const list = (await browser.get('/oidc/account')).text;
  expect(list).toContain('&#60;script&#62;alert(1)');
  expect(list).not.toContain('<script>alert');
  const id = String(/<option value="([\w-]+)"/.exec(list)?.[1]);

  const other = await made(provider, newEmail(), password);
  await other.browser.post('/oidc/account/remove-passkey', { passkey: id, password });
  expect((await browser.get('/oidc/account')).text).toContain(id);
  const removed = await browser.post('/oidc/account/remove-passkey', { passkey: id, password });
  expect(removed.text).toContain('The passkey is removed.');
  expect((await browser.get('/oidc/account')).text).not.toContain(id);
});

test('addresses that are no page of ours say so', async () => {
  const { browser } = await made(provider, newEmail(), password);
  expect((await browser.post('/oidc/account/nothing', {})).status).toBe(404);
  expect((await browser.get('/oidc/account/a/b')).status).toBe(404);
  expect((await browser.post('/oidc/account/toString', {})).status).toBe(404);
  const put = await fetch(`${provider.url}/oidc/account`, { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});
