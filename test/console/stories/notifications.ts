import { expect, test } from 'vitest';
import { createCluster } from '../../../db/clusters/clusters.ts';
import { effect } from '../../../db/engine/effect.ts';
import { notify } from '../../../db/notifications/notify.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { clusterLost } from '../../../domain/notifications/messages.ts';
import { machine, seedOrganization } from '../../seeds/seed.ts';
import { askedBy } from '../asked.ts';
import { heading, hold, mark, row } from '../on-page.ts';
import type { Stories } from './world.ts';

export const notificationStories: Stories = (world) => {
  /**
   * Tells the owner that a cluster of this name was lost; the entry leads to one that is there. In an organization of its own: nothing
   * happens there beside the story, such as clusters of others that fall silent.
   */
  const teller = async () => {
    const { opened, ada } = world();
    const { as } = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const slug = `inbox-${crypto.randomUUID().slice(0, 8)}`;
    const organizationId = await seedOrganization(database, slug);
    const memberships = tenant(database.kysely, organizationId).insertInto('membership');
    await memberships.values({ user_id: as.userId, role: 'owner' }).execute();
    const { id: clusterId } = await effect(database, machine, (creating) =>
      createCluster(creating, { organizationId, name: 'local' }),
    );
    const lost = (name: string) =>
      effect(database, machine, (telling) =>
        notify(telling, {
          organizationId,
          occasion: `story ${name}`,
          message: clusterLost({ clusterId, name }),
          to: { admins: true },
        }),
      );
    return { opened, ada, lost, inbox: `/${slug}/notifications` };
  };

  test('an entry arrives while the inbox is open, is counted, and is read when it is opened', async () => {
    const { ada, lost, inbox } = await teller();
    const { page } = ada;
    await ada.go(inbox);
    await heading(page, 'Notifications').waitFor();
    const sameLoad = await mark(page);
    const bell = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
    const entry = (name: string) => row(page, 'Notifications', `Cluster ${name} lost contact`);
    await bell('Notifications').waitFor();
    for (const name of ['Lagos', 'Quito', 'Perth']) await lost(name);
    await bell('Notifications 3 unread').waitFor();
    await entry('Perth').getByText('Unread').waitFor();
    await entry('Perth').getByText('Warning').waitFor();
    const titles = await page.getByRole('list', { name: 'Notifications' }).getByRole('link').allInnerTexts();
    expect(titles.slice(0, 3).map((title) => title.split(' ')[1])).toEqual(['Perth', 'Quito', 'Lagos']);

    // The page of the subject does not wait for the answer.
    const held = await hold(page, 'notifications.read');
    await entry('Quito').getByRole('link').click();
    await heading(page, 'local').waitFor();
    await bell('Notifications 2 unread').waitFor();
    await held.letGo();
    expect(held.requests.map((request) => request.postDataJSON())).toMatchObject([
      { body: { ids: [expect.any(String)] } },
    ]);
    await page.goBack();
    await entry('Quito').getByText('Unread').waitFor({ state: 'detached' });

    const name = 'Mark as read: Cluster Perth lost contact with its agent';
    await page.getByRole('button', { name }).click();
    await bell('Notifications 1 unread').waitFor();
    await entry('Perth').locator('a:focus').waitFor();
    await sameLoad();
  });

  test('among the unread ones an entry goes when it is marked as read, and the focus stays; all at once empty the badge', async () => {
    const { opened, ada, lost, inbox } = await teller();
    const { page } = ada;
    for (const name of ['Delhi', 'Osaka', 'Turin']) await lost(name);
    await ada.go(inbox);
    await page.getByRole('button', { name: 'Unread', exact: true }).click();
    await page.waitForURL(`${opened.url}${inbox}?unread=true`);
    // The address changes before the list does, and until then its entries are those of before.
    await page.getByRole('button', { name: 'Unread', exact: true, pressed: true }).waitFor();
    const entries = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');
    await page.waitForFunction('document.querySelectorAll("main li[data-id]").length === 3');
    await page.getByRole('button', { name: 'Mark as read: Cluster Osaka lost contact with its agent' }).click();
    await entries.filter({ hasText: 'Osaka' }).waitFor({ state: 'detached' });
    await entries.locator('a:focus').getByText('Delhi').waitFor();

    // On a phone the bell is beside Search.
    await page.setViewportSize({ width: 375, height: 700 });
    const bell = (name: string) =>
      page.locator('header a:not(nav *)').and(page.getByRole('link', { name, exact: true }));
    await bell('Notifications 2 unread').waitFor();
    await Promise.all(Array.from({ length: 98 }, (_, index) => lost(`number ${index}`)));
    await bell('Notifications 99+ unread').waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await bell('Notifications').waitFor();
    await page.getByText('Nothing unread').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Show everything' }).click();
    await entries.filter({ hasText: 'number' }).first().waitFor();
  });
};
