import { afterAll, beforeEach, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { endAccountRecords } from '../../db/identity-provider/provider-accounts.ts';
import { builtInClientId } from '../../db/keys/identity-secrets.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { beginAttempt } from '../../db/sign-in/sign-in-attempts.ts';
import { createSignInLink, useSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { BareBrowser, BareProvider } from '../../test/identity/bare-provider.ts';

const provider = await BareProvider.start();
const ada = await provider.account('Ada');
const grace = await provider.account('Grace');
afterAll(() => provider.close());
beforeEach(() => {
  provider.next = { accountId: ada, amr: ['pwd', 'otp', 'mfa'] };
});

test('who is signed in already is led on without being asked, unless that is wanted', async () => {
  const browser = new BareBrowser(provider);
  await provider.signIn(browser);
  await provider.signIn(browser);
  expect(browser.interactions).toBe(1);
  await provider.signIn(browser, { prompt: 'login' });
  expect(browser.interactions).toBe(2);
});

test('a link is asked about, whoever is signed in', async () => {
  const browser = new BareBrowser(provider);
  await provider.signIn(browser);
  const author = { kind: 'machine', id: 'test', name: 'test' } as const;
  const used = await effect(provider.fresh.database, author, async (change) =>
    useSignInLink(change, (await createSignInLink(change, { kind: 'first-owner' })).secret),
  );
  await beginAttempt(provider.fresh.database.kysely, {
    browserHash: hashSecret('browser'),
    stateHash: hashSecret('state of a link'),
    returnTo: '/',
    userAgent: undefined,
    signInLinkId: used?.id,
  });
  provider.next = { accountId: grace, amr: ['pwd'] };
  expect(await provider.signIn(browser, { state: 'state of a link' })).toMatchObject({ sub: grace, amr: ['pwd'] });
  expect(browser.interactions).toBe(2);
  // From now on the browser is hers.
  expect(await provider.signIn(browser)).toMatchObject({ sub: grace });
  expect(browser.interactions).toBe(2);
});

test('the end of an account ends the session, and codes that are under way', async () => {
  const browser = new BareBrowser(provider);
  await provider.signIn(browser);
  const { url } = await browser.follow(provider.authorize());
  await endAccountRecords(provider.fresh.database.kysely, ada);
  expect(await provider.exchange(url.searchParams.get('code') ?? '')).toMatchObject({ error: 'invalid_grant' });
  provider.next = { accountId: grace, amr: ['pwd'] };
  expect(await provider.signIn(browser)).toMatchObject({ sub: grace });
});

test('an account that is gone is asked to sign in as somebody else', async () => {
  const browser = new BareBrowser(provider);
  const linus = await provider.account('Linus');
  provider.next = { accountId: linus, amr: ['pwd'] };
  await provider.signIn(browser);
  await provider.fresh.database.kysely.deleteFrom('provider_account').where('id', '=', linus).execute();
  provider.next = { accountId: ada, amr: ['pwd'] };
  expect(await provider.signIn(browser)).toMatchObject({ sub: ada });
});

test('signing out asks once, ends the session and leads back', async () => {
  const browser = new BareBrowser(provider);
  await provider.signIn(browser);
  const query = new URLSearchParams({
    client_id: builtInClientId,
    post_logout_redirect_uri: `${provider.publicUrl}/signed-out`,
  });
  const asked = await (await browser.fetch(`/oidc/session/end?${query}`)).text();
  expect(asked).toContain('Sign out');
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked)?.[1] ?? '';
  const confirm = (body: Record<string, string>) =>
    browser.fetch('/oidc/session/end/confirm', { method: 'POST', body: new URLSearchParams(body) });
  expect((await confirm({ xsrf: 'wrong', logout: 'yes' })).status).toBe(400);
  const done = await confirm({ xsrf, logout: 'yes' });
  expect(done.headers.get('location')).toBe(`${provider.publicUrl}/signed-out`);
  await provider.signIn(browser);
  expect(browser.interactions).toBe(2);
});

test('what strangers leave behind does not last', async () => {
  const { kysely } = provider.fresh.database;
  const query = new URLSearchParams({ client_id: builtInClientId });
  await kysely.deleteFrom('provider_record').execute();
  await new BareBrowser(provider).fetch(`/oidc/session/end?${query}`);
  await new BareBrowser(provider).fetch(provider.authorize());
  const rows = await kysely.selectFrom('provider_record').select(['model', 'expires_at']).orderBy('model').execute();
  expect(rows.map(({ model }) => model)).toEqual(['Interaction', 'Session']);
  for (const { expires_at: end } of rows) expect(Number(end) - Date.now()).toBeLessThan(16 * 60_000);
  await provider.signIn(new BareBrowser(provider));
  const session = await kysely
    .selectFrom('provider_record')
    .select('expires_at')
    .where('model', '=', 'Session')
    .where('account_id', '=', ada)
    .executeTakeFirst();
  expect(Number(session?.expires_at) - Date.now()).toBeGreaterThan(13 * 86_400_000);
});
