import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Shown, SignInBrowser } from '../../test/browsers/sign-in-browser.ts';
import { testProvider } from '../../test/identity/provider.ts';
import { account, signingIn } from '../../test/identity/provider-sign-in.ts';

let mallory: SignInBrowser;
let victim: SignInBrowser;
const world = await signingIn({ SIGN_IN_EMAIL_DOMAINS: 'example.com' });
const other = await testProvider();
afterAll(async () => {
  await world.close();
  await other.close();
});
beforeEach(() => {
  victim = world.browser();
  mallory = world.browser();
});

const kysely = () => world.api.database.kysely;
const fromSignInPage = 'start again from the sign-in page';

/** Refused with this sentence, no session, `svc_oidc` cleared, and in the audit log why. */
async function expectRefused(browser: SignInBrowser, shown: Shown, sentence: string, reason: string): Promise<void> {
  expect(shown.status, shown.text).toBe(403);
  expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(shown.text).toContain(sentence);
  expect(shown.text).toContain('href="/sign-in"');
  expect(browser.cookies.has('svc_session')).toBe(false);
  expect(browser.cookies.has('svc_oidc')).toBe(false);
  const [refused] = await kysely()
    .selectFrom('audit_record')
    .selectAll()
    .where('action', '=', 'sign_in.refused')
    .where('ip', '=', browser.address)
    .orderBy('at', 'desc')
    .execute();
  expect(refused).toMatchObject({ actor_kind: 'machine', actor_name: 'anonymous', details: { reason } });
}

function withParameter(address: string, name: string, value: string | undefined): string {
  const url = new URL(address);
  if (value === undefined) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url.href;
}

describe('what was used is used', () => {
  test('a callback that is sent again', async () => {
    const back = await world.toCallback(victim, account('ada'));
    const cookie = String(victim.cookies.get('svc_oidc'));
    expect((await victim.get(back)).status).toBe(302);
    victim.cookies.clear();
    const again = await victim.get(back, { cookie: `svc_oidc=${cookie}` });
    await expectRefused(victim, again, 'This sign-in was finished before', 'no-attempt');
  });

  test('a code that was exchanged before, in a new sign-in', async () => {
    const back = await world.toCallback(victim, account('ada'));
    await victim.get(back);
    const code = String(new URL(back).searchParams.get('code'));
    const next = await world.toCallback(mallory, account('ada'));
    const shown = await mallory.get(withParameter(next, 'code', code));
    await expectRefused(mallory, shown, 'no longer takes this sign-in', 'code');
  });

  test('ten minutes are over', async () => {
    const back = await world.toCallback(victim, account('ada'));
    await world.api.sql`update sign_in_attempt set expires_at = now() - interval '1 second'`;
    await expectRefused(victim, await victim.get(back), `longer than ten minutes; ${fromSignInPage}`, 'expired');
  });
});

describe('what belongs to another browser', () => {
  test('the code of a victim, in the own browser (and the provider wants the verifier)', async () => {
    const stolen = String(new URL(await world.toCallback(victim, account('ada'))).searchParams.get('code'));
    const own = await world.toCallback(mallory, account('mallory'));
    const shown = await mallory.get(withParameter(own, 'code', stolen));
    await expectRefused(mallory, shown, 'belongs to another browser', 'code');
  });

  test('a callback that is planted in a browser that has begun nothing', async () => {
    const planted = await world.toCallback(mallory, account('mallory'));
    const shown = await victim.get(planted);
    expect([shown.status, victim.cookies.size]).toEqual([403, 0]);
    expect(shown.text).toContain('This browser has started no sign-in in the last ten minutes');
  });

  test('a callback that is planted in a browser that has begun another', async () => {
    const planted = await world.toCallback(mallory, account('mallory'));
    await world.toCallback(victim, account('ada'));
    await expectRefused(victim, await victim.get(planted), 'does not belong to the sign-in that this browser', 'state');
  });

  test('a stolen svc_oidc, in a browser that calls itself otherwise', async () => {
    const back = await world.toCallback(victim, account('ada'));
    mallory.userAgent = 'curl/8';
    mallory.cookies.set('svc_oidc', String(victim.cookies.get('svc_oidc')));
    await expectRefused(mallory, await mallory.get(back), 'started in another browser', 'other-browser');
    // Nobody can use it any more.
    await expectRefused(victim, await victim.get(back), 'This sign-in was finished before', 'no-attempt');
  });

  test('a stolen svc_oidc, with the answer to a sign-in of the own', async () => {
    await world.toCallback(victim, account('ada'));
    const own = await world.toCallback(mallory, account('mallory'));
    mallory.cookies.set('svc_oidc', String(victim.cookies.get('svc_oidc')));
    await expectRefused(mallory, await mallory.get(own), 'does not belong to the sign-in', 'state');
  });
});

describe('what the provider did not say to this sign-in', () => {
  test.each([
    ['no state', 'state', undefined],
    ['another state', 'state', 'x'.repeat(43)],
  ])('%s', async (_, name, value) => {
    const back = await world.toCallback(victim, account('ada'));
    const shown = await victim.get(withParameter(back, name, value));
    await expectRefused(victim, shown, 'does not belong to the sign-in that this browser started', 'state');
  });

  test.each([
    ['another issuer in the answer', 'https://evil.example'],
    ['no issuer, though the provider names itself', undefined],
  ])('%s', async (_, iss) => {
    const back = await world.toCallback(victim, account('ada'));
    const shown = await victim.get(withParameter(back, 'iss', iss));
    await expectRefused(victim, shown, 'Another identity provider has answered', 'issuer');
  });

  test('a code of another provider', async () => {
    const back = await world.toCallback(victim, account('ada'));
    const shown = await victim.get(withParameter(back, 'code', 'made-elsewhere'));
    await expectRefused(victim, shown, 'no longer takes this sign-in', 'code');
  });

  test('no code', async () => {
    const back = await world.toCallback(victim, account('ada'));
    await expectRefused(victim, await victim.get(withParameter(back, 'code', undefined)), 'sent no code', 'no-code');
  });

  test('that it lets nobody in; its own words are not repeated', async () => {
    const back = await world.toCallback(victim, { ...account('ada'), deny: true });
    const shown = await victim.get(back);
    await expectRefused(victim, shown, 'You did not sign in with the identity provider', 'denied');
    expect(shown.text).not.toContain('a text of the provider');
  });
});

describe('id tokens that are not for this sign-in, though the provider signed them', () => {
  test.each([
    ['another nonce', { nonce: 'x' }, 'answered for another sign-in than this browser began', 'nonce'],
    ['another issuer', { iss: 'https://evil.example' }, 'from another identity provider than the one', 'issuer'],
    ['another audience', { aud: 'another' }, 'for another application than this installation', 'audience'],
    ['several audiences', { aud: ['ballast-test', 'another'] }, 'for another application', 'audience'],
    ['another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'cannot be trusted', 'answer'],
    ['a subject that no text can hold', { sub: 'a\u0000b' }, 'cannot be trusted', 'answer'],
  ])('%s', async (_, tamper, sentence, reason) => {
    const back = await world.toCallback(victim, { ...account('ada'), tamper });
    await expectRefused(victim, await victim.get(back), sentence, reason);
  });

  test('a signature that does not hold', async () => {
    const back = await world.toCallback(victim, { ...account('ada'), tamper: { name: 'Eve' }, breakSignature: true });
    await expectRefused(victim, await victim.get(back), 'its signature does not hold', 'answer');
  });
});

test.each([
  [300, '5 minutes ahead of'],
  [-300, '5 minutes behind'],
  // Seconds pass between the provider's look at its clock and ours.
  [90, '[678][0-9] seconds ahead of|90 seconds ahead of'],
])('a clock that is off by %d seconds is said to be', async (clockOffSeconds, how) => {
  const back = await world.toCallback(victim, { ...account('ada'), clockOffSeconds });
  const shown = await victim.get(back);
  await expectRefused(victim, shown, 'time server (NTP)', 'clock');
  expect(shown.text).toMatch(new RegExp(`clock is (?:${how}) this installation`));
  await world.provider.tell(account('ada'));
});

test('a clock that is off by half a minute does not matter', async () => {
  expect((await world.signIn(victim, { ...account('ada'), clockOffSeconds: 30 })).status).toBe(302);
  await world.provider.tell(account('ada'));
});

describe('two cookies of one name', () => {
  test('svc_oidc', async () => {
    const back = await world.toCallback(victim, account('ada'));
    const cookie = `svc_oidc=planted; svc_oidc=${victim.cookies.get('svc_oidc')}`;
    const shown = await victim.get(back, { cookie });
    expect([shown.status, victim.cookies.has('svc_session')]).toEqual([403, false]);
    expect(shown.text).toContain('Two cookies named svc_oidc were sent; remove the one that another site has set');
  });

  test('svc_session', async () => {
    await world.signIn(victim, account('ada'));
    const cookie = `svc_session=planted; svc_session=${victim.cookies.get('svc_session')}`;
    const page = await victim.get('/', { cookie });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Two cookies named svc_session were sent')]);
    const answered = await world.api.call('GET', '/api/v1/auth/session', { headers: { cookie } });
    expect([answered.status, answered.body.detail]).toEqual([
      403,
      expect.stringContaining('Two cookies named svc_session'),
    ]);
  });
});

describe('where a sign-in may end', () => {
  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/%09//evil.example/x',
    '/api/v1/auth/start',
  ])('not at %s', async (address) => {
    const path = `/api/v1/auth/start?return_to=${encodeURIComponent(decodeURIComponent(address))}`;
    const shown = await victim.get(path);
    expect([shown.status, shown.location, victim.cookies.size]).toEqual([422, undefined, 0]);
    const answered = await world.api.call('GET', path);
    expect(answered.body.errors).toEqual([
      expect.objectContaining({
        location: 'query.return_to',
        message: 'must be the path of a page of this installation; begin it with a single /',
      }),
    ]);
  });
});

describe('who may not sign in', () => {
  test('a disabled account', async () => {
    await world.signIn(victim, account('disabled'));
    const { secret, cookie } = { secret: victim.cookies.get('svc_session'), cookie: {} };
    await world.api.sql`update app_user set disabled_at = now() where email = 'disabled@example.com'`;
    const answered = await world.api.call('GET', '/api/v1/auth/session', {
      headers: { cookie: `svc_session=${secret}`, ...cookie },
    });
    expect(answered.status).toBe(403);
    victim.cookies.clear();
    const shown = await world.signIn(victim, account('disabled'));
    await expectRefused(victim, shown, 'Your account is disabled', 'disabled');
  });

  test.each([
    [
      'an address that nobody vouches for',
      { email_verified: false },
      'does not vouch for your address',
      'email-unverified',
    ],
    ['an address of another domain', { email: 'ada@elsewhere.example' }, 'no owner yet', 'no-owner'],
    ['a domain that only ends alike', { email: 'ada@evil-example.com' }, 'no owner yet', 'no-owner'],
    ['no address', { email: undefined }, 'does not say your e-mail address', 'no-email'],
    ['text instead of an address', { email: 'ada' }, 'does not say your e-mail address', 'no-email'],
  ])('%s', async (name, claims, sentence, reason) => {
    const shown = await world.signIn(victim, account(`nobody-${name.replaceAll(/\W/g, '-')}`, claims));
    await expectRefused(victim, shown, sentence, reason);
  });

  test('somebody else with the verified address of an account: an address is no identity', async () => {
    await world.signIn(victim, account('frank', { email: 'frank@elsewhere.example', email_verified: true }));
    await world.api.rows.add('app_user', { id: crypto.randomUUID(), name: 'Frank', email: 'Frank@elsewhere.example' });
    const shown = await world.signIn(mallory, account('frank2', { email: 'frank@Elsewhere.example' }));
    await expectRefused(mallory, shown, 'ballast admin link', 'other-identity');
  });
});

test('the provider refuses a code without a verifier', async () => {
  const back = await world.toCallback(victim, account('ada'));
  const { clientId, clientSecret, issuer } = world.provider;
  const exchanged = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret).replaceAll('%20', '+')}`)}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: String(new URL(back).searchParams.get('code')),
      redirect_uri: `${victim.origin}/api/v1/auth/callback`,
    }),
  });
  expect([exchanged.status, await exchanged.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_grant' }),
  ]);
});

test('programs are answered with a problem', async () => {
  const answered = await world.api.call('GET', '/api/v1/auth/callback?code=x&state=y');
  expect([answered.status, answered.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
});
