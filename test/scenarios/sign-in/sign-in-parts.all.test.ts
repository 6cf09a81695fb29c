import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Shown, SignInBrowser } from '../../browsers/sign-in-browser.ts';
import { Installation } from '../../installation/installation.ts';
import { partNames } from '../../installation/running-parts.ts';

const password = 'correct horse battery';
const email = 'ada@example.com';

const installation = await Installation.start('sign-in-parts');
const publicUrl = installation.settings.PUBLIC_URL;
const ada = new SignInBrowser(publicUrl);
afterAll(() => installation.remove());

interface Place {
  /** Path and query. */
  at: string;
  shown: Shown;
}

/** Goes on until there is a page. */
async function follow(browser: SignInBrowser, first: Shown, from = '/'): Promise<Place> {
  let at = new URL(from, publicUrl);
  let shown = first;
  for (let hops = 0; shown.location !== undefined && hops < 12; hops += 1) {
    at = new URL(shown.location, at);
    expect(at.origin, 'It is never led elsewhere.').toBe(publicUrl);
    shown = await browser.get(at.href);
  }
  return { at: `${at.pathname}${at.search}`, shown };
}

async function open(browser: SignInBrowser, path: string): Promise<Place> {
  return await follow(browser, await browser.get(path), path);
}

async function send(browser: SignInBrowser, path: string, fields: Record<string, string>): Promise<Place> {
  const place = await follow(browser, await browser.post(path, fields), path);
  expect(place.shown.status, place.shown.text).toBeLessThan(400);
  return place;
}

async function session(browser: SignInBrowser) {
  const cookie = `svc_session=${browser.cookies.get('svc_session') ?? ''}`;
  const { status, body } = await installation.call('GET', '/api/v1/auth/session', { headers: { cookie } });
  return { status, user: body.user, organizations: body.organizations };
}

function codeOf(link: string): string {
  const code = link.split('#')[1] ?? '';
  installation.secrets.add(code);
  return code;
}

async function replaceProvider(): Promise<void> {
  const before = installation.parts.pid('identity');
  installation.parts.kill('identity');
  await installation.replaced('identity', before);
  await installation.providerReady();
  await installation.until('the sign-in is back', async () => {
    const readiness = await installation.readiness();
    return readiness?.parts.identity !== undefined && readiness.parts.identity.detail === undefined;
  });
}

test('the link that a start prints makes the first owner', async () => {
  const link = await installation.until(
    'the link',
    async () => /^Create the first account: (\S+)$/m.exec(installation.output)?.[1],
  );
  expect(link.startsWith(`${publicUrl}/sign-in-link#`)).toBe(true);
  const { at, shown } = await send(ada, '/sign-in-link', { code: codeOf(link) });
  expect(at).toMatch(/^\/oidc\/interaction\//);
  expect(shown.text).toContain('Create the first account');
  await send(ada, `${at}/create`, { name: 'Ada', email, password });
  await send(ada, `${at}/not-now`, {});
  expect(await session(ada)).toMatchObject({
    status: 200,
    user: { name: 'Ada', email },
    organizations: [{ slug: 'default', role: 'owner' }],
  });
});

test('from then on no link makes an owner', async () => {
  const { code, stdout, stderr } = await installation.run('sign-in-link');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(email);
});

test('kill -9 of the provider in the middle of a sign-in is not noticed by whoever signs in', async () => {
  const browser = new SignInBrowser(publicUrl);
  const { at } = await open(browser, '/api/v1/auth/start');
  expect(at).toMatch(/^\/oidc\/interaction\//);
  await replaceProvider();
  await send(browser, `${at}/password`, { email, password });
  expect(await session(browser)).toMatchObject({ status: 200, user: { email } });
  await replaceProvider();
  // The provider still knows the browser: it is not asked again.
  browser.cookies.delete('svc_session');
  await open(browser, '/api/v1/auth/start');
  expect((await session(browser)).status).toBe(200);
});

test('while the provider hangs nobody can sign in, and whoever is in goes on', async () => {
  installation.parts.freeze('identity');
  try {
    await installation.until('/readyz tells it', async () =>
      (await installation.readiness())?.parts.identity?.detail?.includes('nobody can sign in'),
    );
    expect((await installation.readiness())?.ready).toBe(true);
    expect((await session(ada)).status).toBe(200);
    const { findings }: { findings: { name: string; state: string }[] } = JSON.parse(
      (await installation.run('doctor', '--json')).stdout,
    );
    expect(findings.filter(({ state }) => state === 'broken').map(({ name }) => name)).toEqual(['Sign-in']);
  } finally {
    installation.parts.thaw('identity');
  }
  await installation.providerReady();
});

test('user reset ends what the person has, and its link sets a new password', async () => {
  const made = await installation.run('user', 'reset', '--email', email, '--json');
  expect(made.code, made.stderr).toBe(0);
  expect((await session(ada)).status).toBe(403);
  const { url }: { url: string } = JSON.parse(made.stdout);
  expect(url.startsWith(`${publicUrl}/sign-in-link#`)).toBe(true);
  const { at, shown } = await send(ada, '/sign-in-link', { code: codeOf(url) });
  const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(shown.text) ?? [];
  expect(shown.text).toContain('password');
  await send(ada, new URL(action, `${publicUrl}${at}`).href, { password: 'another horse battery' });
  const browser = new SignInBrowser(publicUrl);
  const begun = await open(browser, '/api/v1/auth/start');
  expect((await browser.post(`${begun.at}/password`, { email, password })).status).toBe(422);
  await send(browser, `${begun.at}/password`, { email, password: 'another horse battery' });
  expect(await session(browser)).toMatchObject({ status: 200, user: { email } });
});

test('neither codes nor passwords are in any log', () => {
  const logs = partNames.map((part) => readFileSync(join(installation.home, 'logs', `${part}.log`), 'utf8')).join('\n');
  expect(installation.secrets.size).toBeGreaterThan(1);
  for (const secret of [...installation.secrets, password, 'another horse battery', password.replaceAll(' ', '+')]) {
    expect(logs).not.toContain(secret);
  }
});
