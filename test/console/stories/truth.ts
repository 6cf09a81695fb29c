import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn } from '../../identity/people.ts';
import { sampleWorkload } from '../../seeds/made-cluster.ts';
import { seedInstance } from '../../seeds/seed-cluster.ts';
import { askedBy } from '../asked.ts';
import { connectCluster, loseCluster } from '../lost-cluster.ts';
import { heading, hold, row } from '../on-page.ts';
import type { Stories } from './world.ts';

/** Marks, texts and grounds that say "good", within a part of the page. */
async function goodMarks(page: Page, within: string): Promise<string[]> {
  return await page
    .locator(within)
    .locator('[class*="good"]')
    .evaluateAll((found) => found.map((one) => (one as unknown as { outerHTML: string }).outerHTML));
}

export const truthStories: Stories = (world) => {
  test('a lost cluster is the last known in grey on each of its pages, with the time of the last heartbeat', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const id = await connectCluster(opened, asked, 'Reykjavik');
    await asked('PUT', `/clusters/${id}/workloads/billing`, sampleWorkload());
    const database = await opened.installation.database();
    const cluster = { id, organizationId: asked.as.organizationId };
    const instance = await seedInstance(database, cluster, 'billing');
    await asked('PUT', `/clusters/${id}/workloads/mailer`, sampleWorkload());
    const failing = await seedInstance(database, cluster, 'mailer', { state: 'failing', message: 'Exit code 3.' });

    await ada.go(`/default/clusters/${id}`);
    await row(page, 'Workloads', 'billing').getByText('Applied', { exact: true }).waitFor();
    expect(await goodMarks(page, 'main')).not.toEqual([]);
    await loseCluster(opened, asked, id);

    const banner = page.getByRole('alert').filter({ hasText: /^No heartbeat since (\d+ \w+ \d{4}, )?\d\d:\d\d/ });
    const lastKnown = (text: string) => page.locator('main').getByText(`Last known: ${text}`, { exact: true });
    await page.getByText('Lost contact').waitFor();
    await lastKnown('Applied').waitFor();
    await lastKnown('1 of 1 instances').waitFor();
    await row(page, 'Nodes', 'Last known: Ready').waitFor();
    await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
    expect(await page.getByText(/Last known, as of/).count()).toBe(2);
    expect(await page.locator('main [title^="As of "]').count()).toBeGreaterThan(1);
    await banner.waitFor();
    expect(await goodMarks(page, 'main')).toEqual([]);
    for (const [tab, shown] of [
      ['Instances', lastKnown('Ready')],
      ['Events', page.getByText('An agent enrolled')],
      ['Agent', page.getByRole('heading', { name: 'Updates so far' })],
    ] as const) {
      await page.getByRole('navigation', { name: 'Cluster Reykjavik' }).getByRole('link', { name: tab }).click();
      await shown.waitFor();
      await banner.waitFor();
      expect(await goodMarks(page, 'main'), tab).toEqual([]);
    }

    await ada.go(`/default/clusters/${id}/instances/${instance}`);
    await heading(page, instance).waitFor();
    await lastKnown('Ready').waitFor();
    await banner.waitFor();
    expect(await goodMarks(page, 'main')).toEqual([]);

    await ada.go('/default/clusters');
    await row(page, 'Clusters', 'Reykjavik').getByText('Lost contact').waitFor();
    expect(await goodMarks(page, 'tr:has-text("Reykjavik")')).toEqual([]);
    await ada.go('/default');
    await row(page, 'Running', 'Reykjavik').getByText('billing Last known: 1 of 1 instances').waitFor();
    expect(await goodMarks(page, 'ul[aria-label="Running"] > li:has-text("Reykjavik")')).toEqual([]);

    // The cluster that is lost does not hide what failed on it.
    await row(page, 'Needs attention', 'Reykjavik lost contact').getByRole('link', { name: 'Open events' }).waitFor();
    const failed = row(page, 'Needs attention', 'Last known: mailer is degraded on Reykjavik');
    await failed.getByText('Exit code 3.').waitFor();
    await failed.getByRole('link', { name: 'Open log' }).click();
    await heading(page, failing).waitFor();
  });

  test('two people who change one thing do not overwrite each other', async () => {
    const { opened, ada, means } = world();
    const asked = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const grace = await signIn(database, { name: 'Grace Hopper' });
    const { organizationId } = asked.as;
    const membership = { organization_id: organizationId, user_id: grace.userId, role: 'admin' } as const;
    await database.kysely.insertInto('membership').values(membership).execute();
    const { id } = await asked('POST', '/teams', { name: 'Divers' });
    const other = await opened.signedIn(grace.in().session);
    const openBoth = async (item: string, title: string) => {
      for (const { page } of [ada, other]) {
        await page.goto(`${opened.url}/default/teams`);
        await page.getByRole('button', { name: 'Actions for Divers' }).click();
        await page.getByRole('menuitem', { name: item }).click();
        await page.getByRole('dialog', { name: title }).waitFor();
      }
    };

    await openBoth('Change members', 'Members of Divers');
    for (const { page } of [ada, other]) {
      await page.getByRole('checkbox', { name: page === ada.page ? 'Ada Lovelace' : 'Grace Hopper' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const team = async () => {
      const { items } = await asked('GET', '/teams');
      return (items as { id: unknown; name: string; members: { name: string }[] }[]).find((one) => one.id === id);
    };
    expect((await team())?.members.map(({ name }) => name)).toEqual(['Ada Lovelace', 'Grace Hopper']);

    await openBoth('Rename', 'Rename Divers');
    await other.page.getByRole('textbox', { name: 'Name' }).fill('Pilots');
    await other.page.getByRole('button', { name: 'Rename' }).click();
    await other.page.getByRole('dialog').waitFor({ state: 'detached' });
    means(/teams\.rename: 409$/);
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('Sailors');
    await ada.page.getByRole('button', { name: 'Rename' }).click();
    await ada.page.getByText(/^Grace Hopper changed the name to “Pilots” at \d\d:\d\d/).waitFor();
    expect((await team())?.name).toBe('Pilots');
    await ada.page.getByRole('button', { name: 'Keep mine' }).click();
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await team())?.name).toBe('Sailors');
    await asked('DELETE', `/teams/${id}`);

    // A value that is set at once says what it was, too: Grace gives up her role while Ada's choice is on its way.
    await ada.go('/default/members');
    means(/members\.changeRole: 409$/);
    const held = await hold(ada.page, 'members.changeRole');
    await ada.page.getByRole('button', { name: 'Role of Grace Hopper: Admin' }).click();
    await ada.page.getByRole('menuitemradio', { name: 'Owner' }).click();
    await opened.installation.until('it is sent', async () => held.requests.length === 1);
    const ofGrace = `/organizations/${organizationId}/members/${grace.userId}`;
    await (await askedBy(opened, other))('PATCH', ofGrace, { role: 'deployer' });
    await held.letGo();
    const told = ada.page.getByText(
      /^Grace Hopper changed it to deployer at \d\d:\d\d.* Look again, then change it\.$/,
    );
    await told.first().waitFor();
    await ada.page.getByRole('button', { name: 'Role of Grace Hopper: Deployer' }).waitFor();
    expect(await asked('GET', ofGrace)).toMatchObject({ role: 'deployer' });
    await other.context.close();
    await database.kysely
      .deleteFrom('membership')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', grace.userId)
      .execute();
  });
};
