import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realBrowser } from '../../browsers/real-browser.ts';
import { totpOf } from '../../identity/totp.ts';
import { Installation } from '../../installation/installation.ts';
import { patient } from '../../run/patience.ts';

const browser: Browser | undefined = await realBrowser();
const password = 'correct horse battery staple';
let installation: Installation;
let url: string;

beforeAll(async () => {
  if (browser === undefined) return;
  installation = await Installation.start('first-sign-in');
  url = `http://localhost:${installation.port}`;
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
});

/** Complaints of pages: a violated policy, a failed script, a missing file. */
const complaints: string[] = [];

async function open(script = true): Promise<{ context: BrowserContext; page: Page }> {
  if (browser === undefined) throw new Error('There is no browser.');
  const context = await browser.newContext({ javaScriptEnabled: script });
  const page = await context.newPage();
  page.setDefaultTimeout(patient(60_000));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  return { context, page };
}

async function makeAccount(page: Page, name: string, email?: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  if (email !== undefined) await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Protect your account' }).waitFor();
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The first page of the console, which is built once after an installation: until then a page of its own stands there. */
async function atHome(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}

/** The organization of whoever is signed in, and what a change to it needs. */
async function own(page: Page): Promise<{ organizationId: string; headers: Record<string, string> }> {
  const { items } = await (await page.request.get(`${url}/api/v1/organizations`)).json();
  const { organizationId } = items[0];
  return { organizationId, headers: { 'X-Svc-Organization': organizationId, 'X-Svc-CSRF': '1' } };
}

/** Begun one after the other: each story goes on where the one before it ended. */
describe.skipIf(browser === undefined)('in a real browser', () => {
  let owner: { context: BrowserContext; page: Page };
  let link: string;

  test('the link that the start prints makes the first owner, who lands in the organization `default`', async () => {
    link = /Create the first account: (\S+)/.exec(installation.output)?.[1] ?? '';
    expect(link).toMatch(new RegExp(`^${url}/sign-in-link#`));
    owner = await open();
    const { page } = owner;
    await page.goto(link);
    expect(page.url(), 'the code is taken out of the address').toBe(`${url}/sign-in-link`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await makeAccount(page, 'Ada', 'ada@example.com');
    await page.getByRole('button', { name: 'Not now' }).click();
    await atHome(page);
    expect(page.url()).toBe(`${url}/default`);
    const [session] = (await owner.context.cookies()).filter(({ name }) => name === 'svc_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax', secure: false, path: '/', domain: 'localhost' });
    expect((await owner.context.cookies()).map(({ name }) => name)).not.toContain('svc_oidc');
  });

  test('the link is good once, and none is made once there is an owner', async () => {
    const { page, context } = await open();
    await page.goto(link);
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.locator('main').innerText()).toContain('This link is no longer valid');
    await context.close();
    const again = await installation.run('sign-in-link');
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('ada@example.com');
  });

  test('what one may do with the session, the API allows: the organization, an invitation, a token', async () => {
    const { page } = owner;
    const { organizationId, headers } = await own(page);
    const invited = await owner.context.request.post(`${url}/api/v1/organizations/${organizationId}/invitations`, {
      headers,
      data: { email: 'grace@example.com', role: 'deployer' },
    });
    expect(invited.status()).toBe(201);
    invitation = (await invited.json()).token;
  });
  let invitation: string;

  test('an invited person makes an account and joins, without any script', async () => {
    const { page, context } = await open(false);
    await page.goto(`${url}/invitations/${invitation}`);
    expect(await page.locator('main').innerText()).toMatch(/Ada[\s\S]*Default[\s\S]*deployer/);
    await page.getByRole('button', { name: 'Sign in and accept' }).click();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('grace@example.com');
    expect(await page.getByLabel('E-mail').isEditable()).toBe(false);
    await makeAccount(page, 'Grace');
    // An authenticator app: what its code is made of stands on the page as text too.
    await page.getByRole('link', { name: 'Authenticator app' }).click();
    const secret = (await page.locator('.secret code').innerText()).replaceAll(/\s/g, '');
    installation.secrets.add(secret);
    await page.getByRole('textbox', { name: 'Code' }).fill(totpOf(secret));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: /recovery codes/ }).waitFor();
    await page.getByRole('button').click();
    await page.waitForURL(`${url}/`);
    const session = await (await context.request.get(`${url}/api/v1/auth/session`)).json();
    expect(session).toMatchObject({ user: { name: 'Grace' }, organizations: [{ slug: 'default', role: 'deployer' }] });
    await context.request.post(`${url}/api/v1/auth/sign-out`, { headers: { 'X-Svc-CSRF': '1' } });
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('svc_session');
    await context.close();
  });

  test('a passkey is added on the account page and signs in alone', async () => {
    const { page, context } = owner;
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${url}/oidc/account`);
    await page.getByText('Add a passkey').click();
    const form = page.locator('form[action$="add-passkey"]');
    await form.getByLabel('Password').fill(password);
    await form.getByLabel('Name').fill('This laptop');
    await form.getByRole('button').click();
    await page.getByRole('heading', { name: /recovery codes/ }).waitFor();
    await page.getByRole('button').click();
    expect(await page.locator('main').innerText()).toContain('This laptop');

    await context.clearCookies();
    await page.goto(`${url}/sign-in`);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByRole('button', { name: /passkey/ }).click();
    await atHome(page);
    const { organizationId, headers } = await own(page);
    const members = await context.request.get(`${url}/api/v1/organizations/${organizationId}/members`, { headers });
    expect((await members.json()).items).toContainEqual(expect.objectContaining({ name: 'Ada', mfa: true }));
  });

  test('a reset ends the sessions at once, and its link sets a new password', async () => {
    const { page, context } = owner;
    // An open console would go to the sign-in by itself, at a moment of its own.
    await page.goto('about:blank');
    const reset = await installation.run('user', 'reset', '--email', 'ada@example.com', '--json');
    expect(reset.code, reset.stderr).toBe(0);
    await page.goto(`${url}/`);
    expect(page.url()).toBe(`${url}/sign-in`);
    await signIn(page, 'ada@example.com');
    await page.getByRole('alert').waitFor();
    const { url: resetLink }: { url: string } = JSON.parse(reset.stdout);
    await page.goto(resetLink);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Protect your account' }).waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await atHome(page);
    await context.close();
  });

  test('a provider that is killed comes back, and a sign-in that was under way goes on', async () => {
    const { page, context } = await open();
    await page.goto(`${url}/sign-in`);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByLabel('E-mail').fill('ada@example.com');
    const before = installation.parts.pid('identity');
    installation.parts.kill('identity');
    await installation.replaced('identity', before);
    await installation.providerReady();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await atHome(page);
    await context.close();
  });

  test('a wrong password and a disabled account are told so', async () => {
    const { page, context } = await open();
    await page.goto(`${url}/sign-in`);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByLabel('Password').fill('not her password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('grace@example.com');
    await context.close();

    const other = await open();
    await installation.run('user', 'disable', '--email', 'grace@example.com');
    await signIn(other.page, 'grace@example.com');
    await other.page.getByRole('heading', { name: 'Make sure that it is you' }).waitFor();
    await other.context.close();
  });

  test('no page broke its own policy, failed in a script or missed a file', () => {
    // A refused form answers 4xx and a console that is not built yet 503, which browsers tell as well.
    expect(complaints.filter((one) => !/status of (403|422|429|503)/.test(one))).toEqual([]);
  });
});
