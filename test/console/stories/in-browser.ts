import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findLocalCluster } from '../../../db/clusters/clusters.ts';
import { effect } from '../../../db/engine/effect.ts';
import { notify } from '../../../db/notifications/notify.ts';
import { clusterLost } from '../../../domain/notifications/messages.ts';
import { wholeBrowser } from '../../browsers/real-browser.ts';
import { machine } from '../../seeds/seed.ts';
import { askedBy } from '../asked.ts';
import { heading, row } from '../on-page.ts';
import type { Stories } from './world.ts';

/** Keeps what a tab has the browser show, since a browser without a screen shows nothing. */
const keeping = `
  window.shown = [];
  window.Notification = class extends Notification {
    constructor(title, options = {}) {
      super(title, options);
      if (Notification.permission === 'granted') window.shown.push({ title, tag: options.tag, press: () => this.dispatchEvent(new Event('click')) });
    }
  };
`;

const shownIn = async (...tabs: Page[]): Promise<string[]> =>
  (await Promise.all(tabs.map((tab) => tab.evaluate<string[]>('shown.map(({ title }) => title)')))).flat();

/** A tab that somebody looks at, or that lies behind another one. */
const look = (tab: Page, at: 'visible' | 'hidden') =>
  tab.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${at}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

export const inBrowserStories: Stories = (world) => {
  /** A browser of the owner's, and how to tell its person that a cluster of a name was lost. */
  const begun = async (browser?: Browser) => {
    const { opened, ada } = world();
    const asked = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const local = await findLocalCluster(database.kysely);
    if (local === undefined) throw new Error('There is no local cluster.');
    const { id: clusterId, organizationId } = local;
    await asked('POST', '/notifications/read', { all: true });
    const session = (await ada.context.cookies()).find(({ name }) => name === 'svc_session')?.value ?? '';
    const own = await opened.signedIn(session, {}, browser);
    await own.context.addInitScript(keeping);
    const lost = (name: string) =>
      effect(database, machine, (telling) =>
        notify(telling, {
          ...{ organizationId, occasion: `in browser ${name}`, to: { admins: true } },
          message: clusterLost({ clusterId, name }),
        }),
      );
    return { opened, own, lost, until: opened.installation.until.bind(opened.installation) };
  };
  const permit = (context: BrowserContext, origin: string) => context.grantPermissions(['notifications'], { origin });
  const control = (page: Page) => page.getByRole('button', { name: 'Notify me in this browser' });
  const bell = (page: Page, count: number) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: `Notifications ${count} unread` });

  test('a browser that was told to shows what arrives, once in all of its tabs and never what was there before', async ({
    skip,
    onTestFinished,
  }) => {
    const browser = (await wholeBrowser()) ?? skip('needs a browser that shows notifications');
    onTestFinished(() => browser.close());
    const { opened, own, lost, until } = await begun(browser);
    const { page } = own;
    await lost('Accra');
    await permit(own.context, opened.url);
    await own.go('/default/notifications');
    await control(page).click();
    await page.getByText('On, while a tab').waitFor();
    const other = await own.tab('/default/teams');
    const tabs = [page, other];
    for (const tab of tabs) await bell(tab, 1).waitFor();

    await until('both tabs are known to be in sight', async () => (await inSight(page)) === 2);

    // While one tab is looked at, its badge says enough.
    await look(page, 'hidden');
    await lost('Bogota');
    for (const tab of tabs) await bell(tab, 2).waitFor();
    await until('the tab in sight has taken it', async () => (await taken(page)).length === 1);
    await look(other, 'hidden');
    await until('no tab is in sight', async () => (await inSight(page)) === 0);
    await lost('Cairo');
    await until('a tab has shown it', async () => (await shownIn(...tabs)).length > 0);
    for (const tab of tabs) await bell(tab, 3).waitFor();
    expect(await taken(page)).toHaveLength(2);

    // It leads to its subject, and is read by that.
    const teller = (await shownIn(page)).length > 0 ? page : other;
    await teller.evaluate('shown[0].press()');
    await heading(teller, 'local').waitFor();
    for (const tab of tabs) await bell(tab, 2).waitFor();
    expect(await shownIn(...tabs)).toEqual(['Cluster Cairo lost contact with its agent']);
    await own.go('/default/notifications');
    await row(page, 'Notifications', 'Cluster Cairo').getByText('Unread').waitFor({ state: 'detached' });
    await control(page).click();
    await page.getByText('On, while a tab').waitFor({ state: 'detached' });
    await own.context.close();
  });

  test('a browser that refuses says what to do, and one that has no notifications is not asked', async () => {
    const { own, lost } = await begun();
    const { page } = own;
    await lost('Cadiz');
    await page.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'denied' })");
    await own.go('/default/notifications');
    await page.getByText('This browser blocks notifications of this site').waitFor();
    expect(await control(page).count()).toBe(0);
    await page.addInitScript('delete window.Notification');
    await own.go('/default/notifications');
    await row(page, 'Notifications', 'Cluster').first().waitFor();
    expect(await page.getByText(/in this browser|this site/).count()).toBe(0);
    await own.context.close();
  });
};

/** How many tabs of a browser say that they are in sight. */
async function inSight(page: Page): Promise<number> {
  return await page.evaluate(
    "navigator.locks.query().then(({ held }) => held.filter(({ name }) => name.endsWith('.sight')).length)",
  );
}

/** Ids that the tabs of a browser have taken so far. */
async function taken(page: Page): Promise<string[]> {
  return await page.evaluate(
    "JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('ballast.notified.'))?.[1] ?? '[]')",
  );
}
