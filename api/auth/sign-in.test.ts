import { afterAll, describe, expect, test } from 'vitest';
import { account, signingIn } from '../../test/identity/provider-sign-in.ts';

const world = await signingIn({ SIGN_IN_EMAIL_DOMAINS: 'example.com' });
afterAll(() => world.close());

const audit = async (action: string) =>
  await world.api.database.kysely
    .selectFrom('audit_record')
    .selectAll()
    .where('action', '=', action)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute();

test('whoever may sign in gets a session and lands where it wanted', async () => {
  const browser = world.browser();
  const start = '/api/v1/auth/start?return_to=/docs%3Fx';
  const landed = await world.signIn(browser, account('ada', {}, ['pwd', 'otp']), start);
  expect([landed.status, landed.location], landed.text).toEqual([302, '/docs?x']);
  expect([...browser.cookies.keys()]).toEqual(['svc_session']);
  const { body } = await world.api.call('GET', '/api/v1/auth/session', {
    headers: { cookie: `svc_session=${browser.cookies.get('svc_session')}` },
  });
  expect(body).toMatchObject({
    user: { name: 'Name of ada', email: 'ada@example.com' },
    organizations: [],
    sessions: [{ ip: browser.address, userAgent: browser.userAgent, current: true }],
  });
  const [made] = await audit('session.created');
  expect(made).toMatchObject({
    actor_kind: 'user',
    actor_name: 'Name of ada',
    ip: browser.address,
    details: { provider: world.provider.issuer, amr: ['pwd', 'otp'], mfa: true },
  });
});

test('the cookies are out of reach of scripts and of other sites', async () => {
  const browser = world.browser();
  const begun = await browser.get('/api/v1/auth/start');
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^svc_oidc=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/),
  ]);
  const asked = new URL(String(begun.location)).searchParams;
  expect(asked.get('code_challenge_method')).toBe('S256');
  const secret = String(browser.cookies.get('svc_oidc'));
  for (const value of asked.values()) expect(value).not.toContain(secret);
  const landed = await world.signIn(browser, account('bob'));
  expect(landed.headers.getSetCookie()).toEqual([
    'svc_oidc=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0',
    expect.stringMatching(/^svc_session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=2592000$/),
  ]);
});

test('each sign-in takes over what the provider says now, and is a new session', async () => {
  const browser = world.browser();
  await world.signIn(browser, account('carol', { picture: 'https://example.com/c.png' }, ['pwd']));
  const first = browser.cookies.get('svc_session');
  const claims = {
    name: 'Carol\u0000\n  Q',
    email: 'c@elsewhere.example',
    email_verified: false,
    picture: 'http://x/',
  };
  await world.signIn(browser, account('carol', claims, ['pwd', 'hwk']));
  const second = browser.cookies.get('svc_session');
  expect(second).not.toBe(first);
  const session = (secret: string | undefined) =>
    world.api.call('GET', '/api/v1/auth/session', { headers: { cookie: `svc_session=${secret}` } });
  expect((await session(first)).status).toBe(403);
  const { body } = await session(second);
  expect(body.user).toEqual({ id: expect.any(String), name: 'Carol Q', email: 'c@elsewhere.example' });
  const row = await world.api.rows.one('app_user', { email: 'c@elsewhere.example' });
  expect(row).toMatchObject({ email_verified: false, mfa: true, picture: null, last_sign_in_at: expect.any(Date) });
});

test('two first sign-ins of one person at the same moment make one account', async () => {
  const browsers = [world.browser(), world.browser(), world.browser()];
  const callbacks: string[] = [];
  for (const browser of browsers) callbacks.push(await world.toCallback(browser, account('twice')));
  const landed = await Promise.all(browsers.map((browser, n) => browser.get(String(callbacks[n]))));
  expect(landed.map(({ status }) => status)).toEqual([302, 302, 302]);
  const users = await world.api.rows.all('app_user', { email: 'twice@example.com' });
  expect(users).toHaveLength(1);
});

test('a profile that stands in the userinfo alone is taken from there', async () => {
  const browser = world.browser();
  const tamper = { name: null, email: null, email_verified: null };
  expect(await world.signIn(browser, { ...account('grace'), tamper })).toMatchObject({ status: 302 });
  expect((await browser.get('/api/v1/auth/session')).text).toContain('grace@example.com');
});

describe('what is said of how people sign in', () => {
  test('to everybody', async () => {
    const { body } = await world.api.call('GET', '/api/v1/auth/config');
    expect(body).toMatchObject({
      issuer: world.provider.issuer,
      providerName: '127.0.0.1',
      version: expect.any(String),
    });
  });

  test('another host name than ours leads to ours first', async () => {
    const browser = world.browser();
    const other = browser.origin.replace('127.0.0.1', 'localhost');
    const there = await browser.get(`${other}/api/v1/auth/start?return_to=/docs`);
    expect([there.status, there.location]).toEqual([302, `${browser.origin}/api/v1/auth/start?return_to=%2Fdocs`]);
    expect(browser.cookies.size).toBe(0);
  });
});

test('signing out ends the session and goes on at the provider', async () => {
  const browser = world.browser();
  await world.signIn(browser, account('dora'));
  const cookie = `svc_session=${browser.cookies.get('svc_session')}`;
  const out = await world.api.call('POST', '/api/v1/auth/sign-out', { headers: { cookie, 'x-svc-csrf': '1' } });
  expect(out.status).toBe(200);
  const url = new URL(String(out.body.endSessionUrl));
  expect(url.origin).toBe(world.provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'ballast-test',
    post_logout_redirect_uri: `${browser.origin}/signed-out`,
  });
  expect(out.headers.get('set-cookie')).toBe('svc_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0');
  const after = await world.api.call('GET', '/api/v1/auth/session', { headers: { cookie } });
  expect([after.status, after.body.detail]).toEqual([403, 'The session has ended; sign in again.']);
});

test('neither codes nor tokens nor cookies are logged', async () => {
  const browser = world.browser();
  const back = await world.toCallback(browser, account('erin'));
  const { searchParams } = new URL(back);
  const secrets = [searchParams.get('code'), searchParams.get('state'), browser.cookies.get('svc_oidc')];
  await browser.get(back);
  secrets.push(browser.cookies.get('svc_session'));
  await world.signIn(world.browser(), { ...account('erin'), tamper: { nonce: 'x' } });
  const logged = JSON.stringify(world.api.lines);
  for (const secret of secrets) expect(logged).not.toContain(String(secret));
  expect(logged).not.toContain('eyJ');
});
