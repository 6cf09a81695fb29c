import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { BareBrowser, BareProvider } from '../../test/identity/bare-provider.ts';

const provider = await BareProvider.start();
const ada = await provider.account('Ada');
afterAll(() => provider.close());
beforeEach(() => {
  provider.next = { accountId: ada, amr: ['pwd', 'otp', 'mfa'] };
});

test('the id token says who signed in, and how', async () => {
  const claims = await provider.signIn(new BareBrowser(provider));
  expect(claims).toMatchObject({
    sub: ada,
    name: 'Ada',
    email: 'ada@example.com',
    // Nobody has proved it.
    email_verified: false,
    amr: ['pwd', 'otp', 'mfa'],
    nonce: 'the nonce',
  });
  expect(Date.now() / 1000 - Number(claims.auth_time)).toBeLessThan(60);
});

test('another process that serves the same database signs with the same key', async () => {
  await Promise.all([provider.another(), provider.another()]);
  expect(await provider.fresh.database.kysely.selectFrom('provider_key').select('id').execute()).toHaveLength(1);
});

test('of several that start first at once, one makes the key', async () => {
  await provider.fresh.database.kysely.deleteFrom('provider_key').execute();
  await Promise.all([provider.another(), provider.another(), provider.another()]);
  const keys = await provider.fresh.database.kysely.selectFrom('provider_key').select('private_key').execute();
  expect(keys).toHaveLength(1);
  expect(String(keys[0]?.private_key)).not.toContain('P-256');
});

test.each([
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
  ['another response type', { response_type: 'code id_token' }],
])('%s is refused', async (_, changed) => {
  const { url } = await new BareBrowser(provider).follow(provider.authorize(changed));
  expect(url.pathname).toBe(BareProvider.callback);
  expect(url.searchParams.get('error') ?? new URLSearchParams(url.hash.slice(1)).get('error')).toMatch(
    /invalid_request|unsupported_response_type/,
  );
});

test.each([
  ['another redirect address', { redirect_uri: 'https://evil.example.com/' }],
  ['another client', { client_id: 'somebody' }],
])('%s ends on a page of ours, and leads nowhere', async (_, changed) => {
  const { url, answer } = await new BareBrowser(provider).follow(provider.authorize(changed));
  expect(url.pathname).toBe('/oidc/auth');
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toMatch(/text\/html/);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  const text = await answer.text();
  expect(text).toContain('This did not work');
  expect(text).not.toContain('evil.example.com');
});

test('a code is good once, with its verifier and the secret', async () => {
  const browser = new BareBrowser(provider);
  const code = async () => (await browser.follow(provider.authorize())).url.searchParams.get('code') ?? '';
  expect(await provider.exchange(await code(), { code_verifier: randomBytes(32).toString('base64url') })).toMatchObject(
    {
      error: 'invalid_grant',
    },
  );
  expect(await provider.exchange(await code(), { client_secret: 'wrong' })).toMatchObject({ error: 'invalid_client' });
  const good = await code();
  expect((await provider.exchange(good)).status).toBe(200);
  expect(await provider.exchange(good)).toMatchObject({ error: 'invalid_grant' });
});

test('cookies are out of reach of scripts and of other paths', async () => {
  const answer = await fetch(`${provider.publicUrl}${provider.authorize()}`, { redirect: 'manual' });
  const cookies = answer.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(1);
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^_ballast_\w+(\.sig)?=/);
    expect(cookie).toMatch(/; path=\/oidc/);
    expect(cookie).toMatch(/; samesite=lax/i);
    expect(cookie).toMatch(/; httponly/i);
  }
});

test('under https, cookies are for https alone', async () => {
  const secure = await BareProvider.start('https://ballast.example.com');
  try {
    const answer = await secure.fetch(secure.authorize());
    expect(answer.status).toBe(303);
    expect(answer.headers.get('strict-transport-security')).toContain('max-age');
    for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; secure/i);
  } finally {
    await secure.close();
  }
});

test('no header makes it write another address', async () => {
  const answer = await fetch(`${provider.publicUrl}/oidc/.well-known/openid-configuration`, {
    headers: {
      'x-forwarded-host': 'evil.example.com',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example.com',
    },
  });
  const text = await answer.text();
  expect(text).not.toContain('evil');
  expect(JSON.parse(text)).toMatchObject({
    issuer: `${provider.publicUrl}/oidc`,
    authorization_endpoint: `${provider.publicUrl}/oidc/auth`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
});

test('what is not beneath /oidc is not there, and before it is open it says so', async () => {
  for (const path of ['/', '/oidcx/auth', '/api/v1/version', '//evil.example.com/oidc/auth', '/oidc/nothing']) {
    expect((await fetch(`${provider.publicUrl}${path}`)).status, path).toBe(404);
  }
  const before = provider.open;
  provider.open = undefined;
  const answer = await fetch(`${provider.publicUrl}${provider.authorize()}`);
  provider.open = before;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('2');
});
