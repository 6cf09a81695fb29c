import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createInvitation } from '../../db/invitations/invite.ts';
import { createSignInLink } from '../../db/sign-in/sign-in-links.ts';
import type { SignInBrowser } from '../../test/browsers/sign-in-browser.ts';
import { account, firstOwnerCode, type SigningIn, signingIn } from '../../test/identity/provider-sign-in.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';

let world: SigningIn;
let browser: SignInBrowser;
beforeAll(async () => {
  world = await signingIn();
});
afterAll(() => world.close());
beforeEach(() => {
  browser = world.browser();
});

const database = () => world.api.database;
const noLongerGood = 'This link is no longer valid';

/** From the form of a page, through the provider, and back. */
async function through(post: Promise<{ location: string | undefined; text: string }>, as: ReturnType<typeof account>) {
  await world.provider.tell(as);
  const { location, text } = await post;
  if (location === undefined) throw new Error(text);
  return await browser.get(await world.provider.signIn(location));
}

async function inviteTo(organizationId: string, email: string): Promise<string> {
  const { token } = await effect(database(), machine, (running) =>
    createInvitation(running, { organizationId, email, role: 'deployer', lifetimeMillis: 60_000, asRole: 'owner' }),
  );
  return token;
}

async function organizationsOf(): Promise<unknown> {
  const { body } = await world.api.call('GET', '/api/v1/auth/session', {
    headers: { cookie: `svc_session=${browser.cookies.get('svc_session')}` },
  });
  return body.organizations;
}

describe('the first owner', () => {
  test('nobody is in yet, and the page says what to do', async () => {
    const page = await browser.get('/');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('has no owner yet')]);
    // An account whose first sign-in was left half way comes in from here.
    expect(page.text).toContain('<a href="/sign-in">Sign in</a>');
    const refused = await world.signIn(browser, account('somebody'));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('has no owner yet')]);
  });

  test('looking at a link, or at its callback without going through with it, makes nobody an owner', async () => {
    const code = await firstOwnerCode(world.api);
    const page = await browser.get('/sign-in-link');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('/assets/code-from-fragment.js')]);
    expect(page.text).not.toContain(code);
    const used = await database().kysely.selectFrom('sign_in_link').select('used_at').executeTakeFirstOrThrow();
    expect(used.used_at).toBeNull();
  });

  test('a link that is too old', async () => {
    const code = await firstOwnerCode(world.api);
    await sql`update sign_in_link set expires_at = now() - interval '1 second'`.execute(database().kysely);
    const shown = await browser.post('/sign-in-link', { code });
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining(noLongerGood)]);
  });

  test('a form of another site', async () => {
    const code = await firstOwnerCode(world.api);
    const shown = await browser.post('/sign-in-link', { code }, { origin: 'https://evil.example' });
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining('was not sent from a page of')]);
    expect(browser.cookies.size).toBe(0);
  });

  test('a link whose tab was closed can be opened again in its own browser, and in no other', async () => {
    const code = await firstOwnerCode(world.api);
    expect((await browser.post('/sign-in-link', { code })).status).toBe(303);
    const again = await browser.post('/sign-in-link', { code });
    expect([again.status, again.text]).toEqual([303, '']);
    const another = await browser.post('/sign-in-link', { code: `${code}x` });
    expect([another.status, another.text]).toEqual([403, expect.stringContaining(noLongerGood)]);
    const elsewhere = await world.browser().post('/sign-in-link', { code });
    expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining(noLongerGood)]);
  });

  test('the link makes an owner of `default`, once, and every other one is void', async () => {
    const code = await firstOwnerCode(world.api);
    const another = await firstOwnerCode(world.api);
    const late = world.browser();
    const begun = await late.post('/sign-in-link', { code: await firstOwnerCode(world.api) });

    // Going back and beginning again keeps what the link is good for.
    await browser.post('/sign-in-link', { code: `${browser.origin}/sign-in-link#${code}` });
    const landed = await world.signIn(browser, account('owner', { email_verified: false }));
    expect([landed.status, landed.location], landed.text).toEqual([302, '/']);
    expect(await organizationsOf()).toEqual([
      { id: expect.any(String), name: 'Default', slug: 'default', role: 'owner' },
    ]);

    for (const spent of [code, another, 'x', '']) {
      const shown = await world.browser().post('/sign-in-link', { code: spent });
      expect([shown.status, shown.text]).toEqual([403, expect.stringContaining(noLongerGood)]);
    }
    await world.provider.tell(account('late'));
    const refused = await late.get(await world.provider.signIn(String(begun.location)));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Somebody became the owner')]);
    const users = await database().kysely.selectFrom('app_user').select('email').execute();
    expect(users).toEqual([{ email: 'owner@example.com' }]);
    await expect(firstOwnerCode(world.api)).rejects.toThrow('There is an owner already');
  });

  test('from then on the first page leads to the sign-in page, which leads on', async () => {
    const page = await browser.get('/');
    expect([page.status, page.location]).toEqual([303, '/sign-in']);
    const signIn = await browser.get('/sign-in?return_to=/docs');
    expect(signIn.text).toContain('name="return_to" value="/docs"');
    expect(signIn.text).toContain('Sign in with 127.0.0.1');
    expect((await browser.get('/sign-in?return_to=//evil.example')).text).toContain('name="return_to" value="/"');
  });
});

describe('links for accounts that are there', () => {
  const linkFor = async (kind: 'move' | 'reset', userId: string) =>
    (await effect(database(), machine, (running) => createSignInLink(running, { kind, userId }))).secret;

  test('one that moves an account binds it to the new login alone, and ends its sessions', async () => {
    const userId = await seedMember(database(), await seedOrganization(database()), 'admin', 'Mover');
    const first = await linkFor('move', userId);
    expect((await through(browser.post('/sign-in-link', { code: first }), account('mover-1'))).status).toBe(302);
    const before = browser.cookies.get('svc_session');
    browser.cookies.clear();
    const second = await linkFor('move', userId);
    expect((await through(browser.post('/sign-in-link', { code: second }), account('mover-2'))).status).toBe(302);
    const session = await world.api.call('GET', '/api/v1/auth/session', {
      headers: { cookie: `svc_session=${before}` },
    });
    expect(session.status).toBe(403);
    expect(await organizationsOf()).toHaveLength(1);
    expect((await world.signIn(world.browser(), account('mover-1'))).status).toBe(403);
  });

  test('a login that belongs to somebody else takes nobody over', async () => {
    const userId = await seedMember(database(), await seedOrganization(database()), 'admin');
    for (const kind of ['move', 'reset'] as const) {
      const code = await linkFor(kind, userId);
      expect((await through(world.browser().post('/sign-in-link', { code }), account('owner'))).status).toBe(403);
    }
    const code = await linkFor('reset', userId);
    const shown = await through(browser.post('/sign-in-link', { code }), account('owner'));
    expect(shown.text).toContain('does not belong to the account that the link is for');
  });
});

describe('an invitation', () => {
  let organizationId: string;
  beforeAll(async () => {
    organizationId = await seedOrganization(database());
    await seedMember(database(), organizationId, 'owner');
  });

  test('is shown to whoever has its address, and lets its person in', async () => {
    const token = await inviteTo(organizationId, 'Guest@example.com');
    const page = await browser.get(`/invitations/${token}`);
    for (const part of ['test', 'deployer', 'Guest@example.com']) expect(page.text).toContain(part);
    expect(page.text).toMatch(/until <time datetime="[^"]+Z">\d+ \w+ \d{4}, [\d:]+ UTC<\/time>/);
    const landed = await through(browser.post(`/invitations/${token}`), account('guest'));
    expect([landed.status, landed.location], landed.text).toEqual([302, '/']);
    expect(await organizationsOf()).toMatchObject([{ id: organizationId, role: 'deployer' }]);
    const again = await browser.get(`/invitations/${token}`);
    expect(again.text).toContain('It was accepted already.');
  });

  test('is accepted at once by whoever is signed in with its address', async () => {
    const other = await seedOrganization(database());
    const token = await inviteTo(other, 'guest@example.com');
    await world.signIn(browser, account('guest'));
    const accepted = await browser.post(`/invitations/${token}`);
    expect([accepted.status, accepted.location]).toEqual([303, '/']);
    expect(await organizationsOf()).toHaveLength(2);
  });

  test.each([
    ['another address', { email: 'mallory@example.com' }, 'This invitation is for'],
    ['an address that nobody vouches for', { email_verified: false }, 'does not vouch for your address'],
  ])('is of no use with %s, and leaves nothing behind', async (_, claims, sentence) => {
    const token = await inviteTo(organizationId, `only-${crypto.randomUUID()}@example.com`);
    const { length } = await database().kysely.selectFrom('app_user').select('id').execute();
    const shown = await through(browser.post(`/invitations/${token}`), account(`for-${crypto.randomUUID()}`, claims));
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining(sentence)]);
    expect(await database().kysely.selectFrom('app_user').select('id').execute()).toHaveLength(length);
  });

  test('that is over or unknown says so', async () => {
    const token = await inviteTo(organizationId, 'late@example.com');
    await sql`update invitation set expires_at = now() - interval '1 second' where email = 'late@example.com'`.execute(
      database().kysely,
    );
    expect((await browser.get(`/invitations/${token}`)).text).toContain('It has expired');
    const shown = await browser.post(`/invitations/${token}`);
    expect([shown.status, shown.text]).toEqual([409, expect.stringContaining('has expired')]);
    for (const unknown of ['x', 'x'.repeat(43), '%2e%2e', '<b>']) {
      const page = await browser.get(`/invitations/${encodeURIComponent(unknown)}`);
      expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is no such invitation')]);
    }
  });
});

describe('every page', () => {
  test('whoever signs out in the console is led out of the provider, and in again from the first page', async () => {
    await world.signIn(browser, account('owner'));
    expect((await browser.get('/')).status).not.toBe(303);
    const cookie = `svc_session=${browser.cookies.get('svc_session')}`;
    const out = await world.api.call('POST', '/api/v1/auth/sign-out', { headers: { cookie, 'x-svc-csrf': '1' } });
    expect(out.body.endSessionUrl).toMatch(new RegExp(`^${world.provider.issuer}/session/end`));
    expect((await browser.get('/')).location).toBe('/sign-in');
    expect((await browser.get('/signed-out')).text).toContain('You are signed out');
  });

  test('escapes what it shows, and loads nothing from elsewhere', async () => {
    const organizationId = await seedOrganization(database());
    const name = '<script>alert(1)</script>';
    await database().kysely.updateTable('organization').set({ name }).where('id', '=', organizationId).execute();
    const page = await browser.get(`/invitations/${await inviteTo(organizationId, 'guest@example.com')}`);
    expect(page.text).toContain('&#60;script&#62;');
    expect(page.text).not.toContain('<script>alert');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test.each(['pages.css', 'inter.woff2', 'code-from-fragment.js', 'passkey.js', 'times.js'])('has %s', async (name) => {
    const asset = await browser.get(`/assets/${name}`);
    expect(asset.status).toBe(200);
    const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', woff2: 'font/woff2' };
    expect(asset.headers.get('content-type')?.split(';')[0]).toBe(types[name.replace(/^.*\./, '')]);
  });

  test('takes nothing but forms', async () => {
    expect((await browser.post('/sign-in-link', {}, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('cannot be sent for ever: codes are not to be guessed', async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 130 && !statuses.has(429); n += 1) {
      statuses.add((await browser.post('/sign-in-link', { code: `guess-${n}` })).status);
    }
    expect([...statuses]).toEqual([403, 429]);
    const begun = await browser.get('/api/v1/auth/start');
    expect([begun.status, begun.text]).toEqual([429, expect.stringContaining('too many requests')]);
  });
});
