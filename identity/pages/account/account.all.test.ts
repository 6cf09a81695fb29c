import { expect, test } from 'vitest';
import { made } from '../../../test/identity/provider-accounts.ts';
import { providerGround } from '../../../test/identity/provider-ground.ts';
import { challengeIn, SoftwareAuthenticator } from '../../../test/identity/software-authenticator.ts';
import { secretIn, totpOf } from '../../../test/identity/totp.ts';

const { provider, password, newEmail } = providerGround();

test('a wrong code of an app adds none, and the code that is shown still may', async () => {
  const { browser } = await made(provider, newEmail(), password);
  const secret = secretIn((await browser.get('/oidc/account?view=app')).text);
  const wrong = await browser.post('/oidc/account/add-app', { code: '000000', password });
  expect(wrong.text).toContain('This is not the code of the app');
  expect((await browser.get('/oidc/account')).text).not.toContain('8 are left');
  const added = await browser.post('/oidc/account/add-app', { code: totpOf(secret), password });
  expect(added.text).toContain('Note down your recovery codes');
});

test('the answer that has added a passkey adds no other', async () => {
  const { browser } = await made(provider, newEmail(), password);
  const device = new SoftwareAuthenticator(provider.url);
  const page = await browser.get('/oidc/account');
  const answer = device.create({ challenge: challengeIn(page.text) });
  const added = await browser.post('/oidc/account/add-passkey', { answer, password, 'passkey-name': 'Phone' });
  expect(added.text).toContain('Note down your recovery codes');
  const again = await browser.post('/oidc/account/add-passkey', { answer, password, 'passkey-name': 'Again' });
  expect(again.text).toContain('could not be added');
  expect((await browser.get('/oidc/account')).text).not.toContain('Again');
});
