import { execFile } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { broken, offerRelease } from '../agents/offer-release.ts';
import { OtherMachine } from '../agents/other-machine.ts';
import { realBrowser } from '../browsers/real-browser.ts';
import { freePort } from '../ground/free-port.ts';
import { metricsToken } from '../installation/metrics-token.ts';
import { beginAccount, Console, signInAgain } from './console.ts';
import { copied, heading, hold, mark, row } from './on-page.ts';
import type { Visitor } from './visitor.ts';

const browser = await realBrowser();
let opened: Console;
let ada: Visitor;
let grace: Visitor;
let other: OtherMachine;
/** Complaints that a story provokes on purpose. */
let meant: RegExp[] = [];

beforeAll(async () => {
  if (browser === undefined) return;
  other = new OtherMachine();
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  opened = await Console.start(browser, 'console-stories', cluster);
});
afterEach(async ({ task }) => {
  const complaints = opened.complaints().filter((one) => !meant.some((pattern) => pattern.test(one)));
  meant = [];
  if (task.result?.state === 'fail') await opened.tell(complaints);
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  other?.close();
  await opened?.close();
  await browser?.close();
});

/** Begun one after the other: each story goes on where the one before it ended. */
describe.skipIf(browser === undefined)('the console', () => {
  test('a first owner who closes the tab at “Protect your account” may open the link again, and owns it from the first page', async () => {
    const begun = await opened.visitor();
    await begun.page.goto(opened.firstLink);
    await begun.page.getByRole('button', { name: 'Continue' }).click();
    await beginAccount(begun.page, 'Ada Lovelace', 'ada@example.com');
    await begun.page.close();
    const again = await begun.context.newPage();
    await again.goto(opened.firstLink);
    await again.getByRole('button', { name: 'Continue' }).click();
    await again.getByRole('link', { name: 'Sign in with it' }).waitFor();
    await begun.context.close();

    // Another browser knows nothing of the link.
    ada = await opened.visitor();
    await ada.go('/');
    await ada.page.getByRole('link', { name: 'Sign in' }).click();
    await signInAgain(ada, 'ada@example.com');
    await heading(ada.page, 'Home').waitFor();
    expect(ada.page.url()).toBe(`${opened.url}/default`);
    expect(await ada.page.title()).toBe('Home · Ballast');
  });

  test('the keyboard alone reaches every page, and makes a team', async () => {
    const { page } = ada;
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('h1:focus').getByText('Teams').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('create a team');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create a team' }).waitFor();
    expect(page.url()).toBe(`${opened.url}/default/teams?make=true`);
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Engines');
    await page.keyboard.press('Enter');
    await row(page, 'Teams', 'Engines').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${opened.url}/default/teams`);
  });

  test('what is pressed twice is sent once', async () => {
    const { page } = ada;
    const held = await hold(page, 'teams.create');
    await page.getByRole('button', { name: 'Create a team' }).click();
    await page.getByLabel('Name').fill('Tables');
    await page.getByRole('button', { name: 'Create team' }).dblclick();
    await page.getByLabel('Name').press('Enter');
    await held.letGo();
    await row(page, 'Teams', 'Tables').waitFor();
    expect(held.requests).toHaveLength(1);
    expect(await row(page, 'Teams', 'Tables').count()).toBe(1);
  });

  test('somebody is invited by a link, leaves half way, and is a member after signing in with another browser', async () => {
    const { page, context } = ada;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: opened.url });
    await ada.go('/default/members?invite=true');
    const sameLoad = await mark(page);
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByRole('radio', { name: 'Admin' }).check();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await copied(page, 'Copy the link');
    opened.installation.secrets.add(link.slice(link.lastIndexOf('/') + 1));
    await page.getByRole('button', { name: 'Done' }).click();

    const begun = await opened.visitor({ timezoneId: 'Asia/Kathmandu' });
    await begun.page.goto(link);
    await begun.page.getByText(/can be accepted until .* GMT\+5:45\.$/).waitFor();
    await begun.page.getByRole('button', { name: 'Sign in and accept' }).click();
    await beginAccount(begun.page, 'Grace Hopper');
    await begun.context.close();
    grace = await opened.visitor();
    await grace.go('/');
    await signInAgain(grace, 'grace@example.com');
    await heading(grace.page, 'Home').waitFor();
    await row(page, 'Members', 'grace@example.com').waitFor();
    await sameLoad();
  });

  test('a change that fails is put back, and a notice says why, with the id of the request', async () => {
    const { page } = ada;
    const role = (name: string) => page.getByRole('button', { name: `Role of Grace Hopper: ${name}` });
    const held = await hold(page, 'members.changeRole');
    await role('Admin').click();
    await page.getByRole('menuitemradio', { name: 'Viewer' }).click();
    await role('Viewer').waitFor();
    meant = [/members\.changeRole: 403$/];
    const answered = page.waitForResponse('**/trpc/members.changeRole*');
    // As if something between had taken it away: the control plane refuses it.
    await held.letGo(['x-svc-csrf']);
    await role('Admin').waitFor();
    await page.getByText('The role of Grace Hopper could not be changed').first().waitFor();
    const id = (await (await answered).allHeaders())['x-request-id'];
    await page.getByText(String(id)).first().waitFor();
    await page.getByLabel('Dismiss').click();
  });

  test('a change of a role is followed at once, and what a role may not do is not offered', async () => {
    const { page } = grace;
    await page.goto(`${opened.url}/default/teams`);
    await page.getByRole('button', { name: 'Create a team' }).waitFor();
    const sameLoad = await mark(page);
    await ada.page.getByRole('button', { name: 'Role of Grace Hopper: Admin' }).click();
    await ada.page.getByRole('menuitemradio', { name: 'Viewer' }).click();
    await page.getByRole('button', { name: 'Create a team' }).waitFor({ state: 'detached' });
    await sameLoad();
    const places = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
    // Beside a name stands how many are unread: that she became an admin was told to all.
    expect(places.map((text) => text.split('\n')[0])).toEqual([
      'Home',
      'Notifications',
      'Projects',
      'Builds',
      'Approvals',
      'Workflows',
      'Clusters',
      'Deleted',
      'Members',
      'Teams',
      'Settings',
    ]);
    expect(await page.getByRole('button', { name: /Actions for/ }).count()).toBe(0);
    await page.goto(`${opened.url}/default/tokens?make=true`);
    await page.getByText('Your role does not allow this').waitFor();
    await grace.context.close();
  });

  test('a token is shown once, works as it is shown, and is refused when it is revoked', async () => {
    const { page } = ada;
    await ada.go('/default/tokens');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name').fill('Deploys');
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await copied(page, 'Copy the secret');
    const command = await copied(page, 'Copy the command');
    opened.installation.secrets.add(secret);
    expect(await typed(command)).toMatchObject({ code: 0, out: expect.stringContaining('local') });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Actions for Deploys' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await row(page, 'API tokens', 'Deploys').waitFor({ state: 'detached' });
    expect(await typed(command)).toMatchObject({
      code: 1,
      out: expect.stringContaining('This API token was revoked'),
    });
  });

  test('the dialog that shows the command of a new cluster turns to connected when its agent arrives', async () => {
    const { page } = ada;
    await ada.go('/default/clusters');
    await page.getByRole('button', { name: 'Add a cluster' }).click();
    await page.getByLabel('Name').fill('Berlin');
    await page.getByRole('button', { name: 'Add cluster' }).click();
    const command = await copied(page, 'Copy the command');
    const [secret = ''] = /bje_[A-Za-z0-9_-]+/.exec(command) ?? [];
    opened.installation.secrets.add(secret);
    await page.getByText('Waiting for the agent…').waitFor();
    const { code, said } = await other.type(command, { secret });
    expect(said).toContain('of the cluster Berlin is in contact with');
    expect(code).toBe(0);
    await page.getByRole('dialog').getByText('Connected').waitFor();
    await page.getByRole('link', { name: 'Open Berlin' }).click();
    await heading(page, 'Berlin').waitFor();
    // The dialog has left no entry of its own.
    await page.goBack();
    await heading(page, 'Clusters').waitFor();
    expect(page.url()).toBe(`${opened.url}/default/clusters`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goForward();
    await heading(page, 'Berlin').waitFor();
  });

  test('an update of the agent to a release that does not work is seen to come back, and is read in words', async () => {
    const { page } = ada;
    const release = await offerRelease(opened.installation, broken);
    await page.getByRole('link', { name: 'Agent', exact: true }).click();
    const sameLoad = await mark(page);
    await page.getByRole('button', { name: 'Update the agent' }).click();
    await page.getByRole('button', { name: 'Update agent' }).click();
    await page.getByRole('heading', { name: 'The agent is being updated' }).waitFor();
    const attempt = row(page, 'Updates so far', 'Rolled back');
    await attempt.waitFor();
    await attempt.getByText('It was started 3 times and did not reach the control plane').waitFor();
    await page.getByRole('heading', { name: 'The agent is being updated' }).waitFor({ state: 'detached' });
    await sameLoad();
    await release.takeBack();

    await row(page, 'Updates so far', 'Rolled back').getByRole('link').click();
    await heading(page, /Agent update/).waitFor();
    const steps = page.getByRole('main').locator('ol').getByRole('listitem');
    await steps.filter({ hasText: /^Ended: the agent rolled back to / }).waitFor();
    const told = (await steps.allInnerTexts()).join('\n');
    expect(told).toMatch(
      /Started by Ada Lovelace[\s\S]*Asked the agent to switch to[\s\S]*The agent (?:reported|connected)[\s\S]*Ended:/,
    );
    await page.getByRole('checkbox', { name: 'Raw events' }).check();
    await page.getByText('WorkflowExecutionStarted').first().click();
    await page.getByRole('button', { name: 'Copy the events' }).first().waitFor();
    expect(page.url()).toMatch(/\?raw=true$/);
  });

  test('nothing secret is in an address or in what the browser keeps', async () => {
    const { secrets } = opened.installation;
    expect(secrets.size).toBe(3);
    const kept = await ada.stored();
    const addresses = [...ada.addresses];
    for (const secret of secrets) {
      expect(kept).not.toContain(secret);
      expect(addresses.filter((address) => address.includes(secret))).toEqual([]);
    }
  });

  test('ten tabs have one stream, follow a change, and go on without the one that led', async () => {
    const admin = await opened.installation.token('admin');
    await ada.go('/default/teams');
    const tabs = [ada.page, ...(await Promise.all(Array.from({ length: 9 }, () => ada.tab('/default/teams'))))];
    const follow = async (name: string, following: Page[]) => {
      const made = await opened.installation.call('POST', '/api/v1/teams', { as: admin, body: { name } });
      expect(made.status).toBe(201);
      await Promise.all(following.map((tab) => row(tab, 'Teams', name).waitFor()));
    };
    await Promise.all(tabs.map((tab) => row(tab, 'Teams', 'Engines').waitFor()));
    await follow('Seen by ten', tabs);
    await opened.installation.until('one tab leads', async () => (await streams()) === 1);
    // The oldest tab leads.
    await ada.page.close();
    await opened.installation.until('another tab leads', async () => (await streams()) === 1);
    await follow('Seen by nine', tabs.slice(1));
    await opened.installation.until('one tab still leads', async () => (await streams()) === 1);
  });
});

/** Event streams that the API serves now, as it tells whoever watches over it. */
async function streams(): Promise<number> {
  const metrics = await (
    await fetch(`${opened.url}/metrics`, { headers: { authorization: metricsToken(opened.installation.home) } })
  ).text();
  return Number(/^ballast_streams_open (\d+)$/m.exec(metrics)?.[1]);
}

function typed(command: string): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out + err }),
    );
  });
}
