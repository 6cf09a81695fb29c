import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { createTeam } from '../../../db/teams/teams.ts';
import { machine, seedMember } from '../../seeds/seed.ts';
import { row, said } from '../on-page.ts';
import type { Stories } from './world.ts';

export const tableStories: Stories = (world) => {
  test('the keyboard alone deletes teams: the focus goes to the next row each time, and at last to the empty list', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    const database = await opened.installation.database();
    const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
    const names = ['Archive', 'Billing', 'Crew'];
    for (const name of names) await effect(database, machine, (running) => createTeam(running, id, name));
    await ada.go('/default/teams');
    const focused = (name: string | RegExp) => page.locator(':focus').and(page.getByRole('button', { name })).waitFor();
    await row(page, 'Teams', 'Billing').waitFor();
    await page.getByRole('button', { name: 'Actions for Archive' }).focus();
    await page.keyboard.press('ArrowDown');
    await focused('Actions for Billing');

    for (const [name, next] of [
      ['Billing', 'Crew'],
      ['Crew', 'Archive'],
      ['Archive', undefined],
    ] as const) {
      await focused(`Actions for ${name}`);
      await page.keyboard.press(name === 'Crew' ? 'Shift+F10' : 'Enter');
      const menu = page.getByRole('menu', { name: `Actions for ${name}` });
      // The menu is seen before it has the focus, and until then no key is the menu's.
      await menu.and(page.locator(':focus, :focus-within')).waitFor();
      await page.keyboard.press('End');
      await page
        .locator(':focus')
        .and(menu.getByRole('menuitem', { name: 'Delete' }))
        .waitFor();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('alertdialog', { name: `Delete ${name}?` });
      await dialog
        .locator(':focus')
        .and(dialog.getByRole('button', { name: 'Cancel' }))
        .waitFor();
      await page.keyboard.press('Tab');
      await focused('Delete team');
      await page.keyboard.press('Enter');
      await said(page, `${name} deleted`);
      await row(page, 'Teams', name).waitFor({ state: 'detached' });
      if (next !== undefined) await focused(`Actions for ${next}`);
    }
    await page.locator('[data-empty]:focus').getByText('No teams yet').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
  });

  test('a thousand members: scrolling loads the rest, rows exist near the window, one menu serves all, the search finds the last', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    const database = await opened.installation.database();
    const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
    const { rows: before } = await sql<{ count: number }>`select count(*)::int as count from membership
      where organization_id = ${id}`.execute(database.kysely);
    const users: string[] = [];
    // Four digits alone may occur in somebody's address, too, which is made of an id.
    for (let number = 1; number <= 1_000; number += 1) {
      users.push(await seedMember(database, id, 'viewer', `Person N${String(number).padStart(4, '0')}`));
    }
    const all = (before[0]?.count ?? 0) + 1_000;
    try {
      await ada.go('/default/members');
      const table = page.getByRole('table', { name: 'Members' });
      await row(page, 'Members', 'Person N0001').waitFor();
      // Not whole yet, and the table says so.
      expect(await table.getAttribute('aria-rowcount')).toBe('-1');
      await page.getByRole('button', { name: 'Name', exact: true }).click();
      await page.getByText('Only the 200 loaded rows are sorted by name; there are more.').waitFor();

      await page.getByRole('button', { name: 'Actions for Person N0001' }).focus();
      const last = page.getByRole('button', { name: 'Actions for Person N1000' });
      while (!(await last.isVisible())) {
        await page.keyboard.press('End');
        await page.mouse.wheel(0, 20_000);
        await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
      }
      await page.getByText('loaded rows are sorted').waitFor({ state: 'detached' });
      expect(await table.getAttribute('aria-rowcount')).toBe(String(all + 1));
      expect(await row(page, 'Members', 'Person N1000').getAttribute('aria-rowindex')).toBe(String(all + 1));
      expect(await table.getByRole('row').count()).toBeLessThan(80);

      await row(page, 'Members', 'Person N1000').click({ button: 'right' });
      const menu = page.getByRole('menu');
      await menu.getByRole('menuitem', { name: 'Remove' }).waitFor();
      expect(await menu.count()).toBe(1);
      expect(await menu.getAttribute('aria-label')).toBe('Actions for Person N1000');
      await page.keyboard.press('Escape');
      await page.locator(':focus').and(last).waitFor();
      await page.keyboard.press('Home');
      await page
        .locator(':focus')
        .and(page.getByRole('button', { name: 'Actions for Ada Lovelace' }))
        .waitFor();

      await page.getByRole('searchbox', { name: 'Search members' }).fill('person n0777');
      await row(page, 'Members', 'Person N0778').waitFor({ state: 'detached' });
      await row(page, 'Members', 'Person N0777').waitFor();
      await page.getByText(`1 of ${all} members`).waitFor();
      // The address follows when the typing has ended, the rows at once.
      await page.waitForURL((url) => url.searchParams.get('q') === 'person n0777');
      // A load of that address asks for what it needs to find it.
      await page.reload();
      await row(page, 'Members', 'Person N0777').waitFor();
    } finally {
      await database.kysely.deleteFrom('membership').where('user_id', 'in', users).execute();
    }
  });
};
