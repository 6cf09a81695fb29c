import { expect, test } from 'vitest';
import { usedLink } from '../../test/identity/provider-accounts.ts';
import { providerGround } from '../../test/identity/provider-ground.ts';
import { secretIn, totpOf } from '../../test/identity/totp.ts';

const { provider, password, newEmail } = providerGround();

test('a recovery code is good for one sign-in', async () => {
  const email = newEmail();
  const first = await provider.begin({ signInLinkId: await usedLink(provider, 'first-owner') });
  await first.browser.post(`${first.path}/create`, { name: 'Ada', email, password });
  const secret = secretIn((await first.browser.get(`${first.path}?view=app`)).text);
  const codes = await first.browser.post(`${first.path}/add-app`, { code: totpOf(secret) });
  const recovery = /<li><code>([\w-]+)<\/code>/.exec(codes.text)?.[1];
  const asked = async () => {
    const begun = await provider.begin();
    await begun.browser.post(`${begun.path}/password`, { email, password });
    return { ...begun, answer: await begun.browser.post(`${begun.path}/recovery`, { recovery: recovery ?? '' }) };
  };
  const once = await asked();
  expect(await once.claims(once.answer.path)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
  expect((await asked()).answer.text).toContain('was used already');
});
