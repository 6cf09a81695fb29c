import { expect, test } from 'vitest';
import { tenant } from '../../../../db/postgres/tenant.ts';
import { holdDeployment } from '../../../seeds/held-deployment.ts';
import { seedOrganization } from '../../../seeds/seed.ts';
import { askedBy, type Session } from '../../asked.ts';
import { heading, mark, row } from '../../on-page.ts';
import type { Stories } from '../world.ts';

export const approvalStories: Stories = (world) => {
  /** Deployments that wait, in an organization of their own. */
  const waiting = async (count: number) => {
    const { opened, ada } = world();
    const { as } = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const slug = `held-${crypto.randomUUID().slice(0, 8)}`;
    const organizationId = await seedOrganization(database, slug);
    const memberships = tenant(database.kysely, organizationId).insertInto('membership');
    await memberships.values({ user_id: as.userId, role: 'owner' }).execute();
    const held: string[] = [];
    for (let made = 0; made < count; made += 1) {
      held.push((await holdDeployment(database, organizationId)).approvalId);
    }
    const asked = async (id: string) => {
      const mine = { ...as, organizationId };
      return (await opened.installation.call('GET', `/api/v1/approvals/${id}`, { as: mine })).body;
    };
    return { opened, ada, held, slug, organizationId, asked };
  };

  test('the inbox is gone through and decided by the keyboard alone, and another person’s decision arrives without reload', async () => {
    const { opened, ada, held, slug, organizationId, asked } = await waiting(3);
    const { page } = ada;
    await ada.go(`/${slug}/approvals`);
    await heading(page, 'Approvals').waitFor();
    const list = page.getByRole('list', { name: 'Approvals' });
    await list.getByRole('listitem').nth(2).waitFor();
    const sameLoad = await mark(page);
    const at = async (id: string | undefined) => {
      await page.waitForURL(`**/approvals/${id}`);
      await list.locator(`[data-id="${id}"] a[aria-current="page"]`).waitFor();
      await page.getByText('Nothing serves yet').or(page.getByText('Checks')).first().waitFor();
    };
    // The oldest first.
    await page.keyboard.press('j');
    await at(held[0]);
    await page.keyboard.press('ArrowDown');
    await at(held[1]);
    await page.keyboard.press('k');
    await at(held[0]);

    // A key alone decides nothing, nor do letters of the reason.
    await page.keyboard.press('a');
    const approving = page.getByRole('dialog', { name: /^Approve: / });
    await approving.getByLabel('Reason').waitFor();
    await page.keyboard.type('jar');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await approving.waitFor({ state: 'detached' });
    expect(await asked(held[0] ?? '')).not.toHaveProperty('decision');
    await page.keyboard.press('a');
    await approving.getByLabel('Reason').fill('Two days of staging');
    await page.keyboard.press('Enter');
    await page.getByText('Two days of staging').waitFor();
    await row(page, 'Approvals', 'Rollback').nth(2).waitFor({ state: 'detached' });
    expect(await asked(held[0] ?? '')).toMatchObject({ decision: 'approved', decisionReason: 'Two days of staging' });

    await page.keyboard.press('j');
    await at(held[1]);
    await page.keyboard.press('r');
    await page
      .getByRole('alertdialog', { name: /^Reject: / })
      .getByLabel('Reason')
      .fill('Not on a Friday');
    await page.keyboard.press('Enter');
    await page.getByText('Not on a Friday').waitFor();
    expect(await asked(held[1] ?? '')).toMatchObject({ decision: 'rejected' });

    await page.keyboard.press('j');
    await at(held[2]);
    const grace = (await opened.installation.session(organizationId, 'admin')) as Session;
    const other = await opened.signedIn(grace.session);
    await other.go(`/${slug}/approvals/${held[2]}`);
    await other.page.getByRole('button', { name: 'Approve' }).click();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/^Decided by /).waitFor();
    await page.getByText('Nothing waits for an approval').waitFor();
    await sameLoad();
    await other.context.close();
  });

  test('on a phone the inbox is one pane, and the way back leads to the list', async () => {
    const { ada, held, slug } = await waiting(2);
    const { page } = ada;
    await page.setViewportSize({ width: 390, height: 844 });
    await ada.go(`/${slug}/approvals`);
    const list = page.getByRole('list', { name: 'Approvals' });
    await list.getByRole('link').first().click();
    await page.waitForURL(`**/approvals/${held[0]}`);
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'All approvals' }).click();
    await list.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('an owner passes their own change by break-glass, which takes a reason and is told to the other one', async () => {
    const { opened, ada, held, slug, organizationId, asked } = await waiting(1);
    const { page } = ada;
    const [id = ''] = held;
    const { as } = await askedBy(opened, ada);
    const database = await opened.installation.database();
    await tenant(database.kysely, organizationId)
      .updateTable('approval')
      .set({ answerable_id: as.userId, authors: null })
      .where('id', '=', id)
      .execute();
    const grace = (await opened.installation.session(organizationId, 'admin')) as Session;
    await ada.go(`/${slug}/approvals/${id}`);
    await page.getByText('so another administrator or owner decides').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Break glass' }).click();
    const dialog = page.getByRole('alertdialog', { name: /^Break glass: / });
    const confirm = dialog.getByRole('button', { name: 'Break glass and approve' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('Checkout is down');
    await confirm.click();
    // A notice says the same for a few seconds.
    await page.getByRole('main').getByText('Approved by break-glass').waitFor();
    await page.getByText('Checkout is down').waitFor();
    expect(await asked(id)).toMatchObject({ brokenGlass: true });
    const other = await opened.signedIn(grace.session);
    await other.go(`/${slug}/notifications`);
    await row(other.page, 'Notifications', 'Break-glass: ').getByRole('link').click();
    await other.page.getByText('Approved by break-glass').waitFor();
    await other.context.close();
  });
};
