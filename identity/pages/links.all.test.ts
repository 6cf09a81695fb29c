import { expect, test } from 'vitest';
import { made, rightsOf, usedLink } from '../../test/identity/provider-accounts.ts';
import { providerGround, wrongPassword } from '../../test/identity/provider-ground.ts';
import { secretIn, totpOf } from '../../test/identity/totp.ts';

const { provider, password, newEmail } = providerGround();

test('a tab closed at any step after the first account was created: its password signs in, and it keeps what it was created for', async () => {
  const atProtect = newEmail();
  const first = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await first.browser.post(`${first.path}/create`, { name: 'Ada', email: atProtect, password });
  const again = await provider.begin();
  const done = await again.browser.post(`${again.path}/password`, { email: atProtect, password });
  expect(await again.claims(done.path)).toMatchObject({ email: atProtect, amr: ['pwd'] });
  expect(await rightsOf(provider, atProtect)).toEqual({ for_first_owner: true, for_invitation: null });

  const atCodes = newEmail();
  const second = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await second.browser.post(`${second.path}/create`, { name: 'Ada', email: atCodes, password });
  const secret = secretIn((await second.browser.get(`${second.path}?view=app`)).text);
  await second.browser.post(`${second.path}/add-app`, { code: totpOf(secret) });
  const later = await provider.begin();
  await later.browser.post(`${later.path}/password`, { email: atCodes, password });
  const right = await later.browser.post(`${later.path}/code`, { code: totpOf(secret, 1) });
  expect(await later.claims(right.path)).toMatchObject({ email: atCodes, amr: ['pwd', 'otp', 'mfa'] });
});

test('the password from before a reset signs nobody in any more', async () => {
  const person = await made(provider, newEmail(), password);
  const reset = await provider.begin({ signInLinkId: await usedLink(provider, 'reset', person.userId) });
  await reset.browser.post(`${reset.path}/reset`, { password: 'another horse battery' });
  const old = await provider.begin();
  const refused = await old.browser.post(`${old.path}/password`, { email: person.email, password });
  expect(refused.text).toContain(wrongPassword);
});
