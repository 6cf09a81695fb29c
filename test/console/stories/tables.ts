import { expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { createTeam } from '../../../db/teams/teams.ts';
import { machine } from '../../seeds/seed.ts';
import { row } from '../on-page.ts';
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
      await menu.waitFor();
      await page.keyboard.press('End');
      await page
        .locator(':focus')
        .and(menu.getByRole('menuitem', { name: 'Delete' }))
        .waitFor();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: `Delete ${name}?` });
      await dialog.waitFor();
      await dialog.locator(':focus').waitFor();
      await dialog.getByRole('button', { name: 'Delete team' }).press('Enter');
      await row(page, 'Teams', name).waitFor({ state: 'detached' });
      if (next !== undefined) await focused(`Actions for ${next}`);
    }
    await page.locator('[data-empty]:focus').getByText('No teams yet').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
};
