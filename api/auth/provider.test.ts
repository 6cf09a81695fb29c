import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testProvider } from '../../test/identity/provider.ts';
import { account, firstOwnerCode, type SigningIn, signingIn } from '../../test/identity/provider-sign-in.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';

describe('while the provider is away', () => {
  let world: SigningIn;
  beforeAll(async () => {
    world = await signingIn();
  });
  afterAll(() => world.close());
  const away = () => world.provider.tell({ ...account('owner'), away: true });

  test('people are told so, links stay good, and it goes on when it is back', async () => {
    const code = await firstOwnerCode(world.api);
    const browser = world.browser();
    await away();
    const refused = await browser.get('/api/v1/auth/start');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.text).toContain('The identity provider cannot be reached');
    expect((await browser.post('/sign-in-link', { code })).status).toBe(503);
    const program = await world.api.call('GET', '/api/v1/auth/start');
    expect([program.status, program.headers.get('content-type')]).toEqual([503, 'application/problem+json']);

    await world.provider.tell(account('owner'));
    const begun = await browser.post('/sign-in-link', { code });
    const back = await world.provider.signIn(String(begun.location));
    await away();
    const late = await browser.get(back);
    expect([late.status, late.text]).toEqual([503, expect.stringContaining('does not answer at the moment')]);
    expect(browser.cookies.has('svc_session')).toBe(false);
  });
});

describe('where nobody can sign in', () => {
  const apis: RunningApi[] = [];
  afterAll(async () => {
    for (const api of apis) await api.close();
  });

  test.each([
    [
      { PUBLIC_URL: 'http://10.0.0.1:8088', OIDC_ISSUER: 'https://idp.example' },
      'Nobody can sign in at http://10.0.0.1:8088',
    ],
    [
      { PUBLIC_URL: 'https://ballast.example.com', OIDC_ISSUER: 'http://idp.example' },
      'OIDC_ISSUER is an http address on another machine',
    ],
    [{ PUBLIC_URL: 'https://ballast.example.com' }, 'This installation has no identity provider: set OIDC_ISSUER'],
  ])('with %j', async (env: Record<string, string>, sentence) => {
    const client = env.OIDC_ISSUER === undefined ? {} : { OIDC_CLIENT_ID: 'x' };
    const api = await runningApi({ env: { ...env, ...client } });
    apis.push(api);
    const answered = await api.call('GET', '/api/v1/auth/start');
    expect([answered.status, answered.body.detail]).toEqual([403, expect.stringContaining(sentence)]);
    expect(answered.headers.getSetCookie()).toEqual([]);
  });
});

test('over https, cookies go over https only', async () => {
  const provider = await testProvider('https://ballast.example.com');
  const api = await runningApi({ env: { PUBLIC_URL: 'https://ballast.example.com', ...provider.env } });
  try {
    const begun = await api.call('GET', '/api/v1/auth/start');
    expect(begun.status).toBe(302);
    expect(begun.headers.getSetCookie()).toEqual([expect.stringMatching(/; Max-Age=600; Secure$/)]);
  } finally {
    await api.close();
    await provider.close();
  }
});
