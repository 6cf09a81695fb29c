import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { createTeam, deleteTeam } from '../../../db/teams/teams.ts';
import { machine } from '../../seeds/seed.ts';
import { hold, row, said } from '../on-page.ts';
import type { Stories } from './world.ts';

export const handStories: Stories = (world) => {
  test('a form shows at its field what the API refuses, keeps what was typed, and gives the focus back', async () => {
    const { ada, opened, means } = world();
    const { page } = ada;
    const database = await opened.installation.database();
    const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
    await effect(database, machine, (running) => createTeam(running, id, 'Harbour'));
    await ada.go('/default/teams');
    await row(page, 'Teams', 'Harbour').waitFor();
    await page.getByRole('button', { name: 'Create a team' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create a team' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await focused(page, name);

    // Checked before it is sent, in the words of the API: a mark that turns text around.
    await page.keyboard.insertText('Har\u202ebour');
    await page.keyboard.press('Enter');
    await dialog.getByText('Contains a character that cannot be seen').waitFor();
    await name.fill('HARBOUR');
    means(/teams\.create: 409$/);
    const held = await hold(page, 'teams.create');
    await page.keyboard.press('Enter');
    const busy = dialog.getByRole('button', { name: 'Create team' });
    await busy.and(page.locator('[aria-busy="true"]')).waitFor();
    await busy.focus();
    await held.letGo();
    await dialog.getByText('Another team has this name').waitFor();
    await focused(page, name);
    expect(await name.inputValue()).toBe('HARBOUR');
    expect(await name.getAttribute('aria-invalid')).toBe('true');

    // A click beside the dialog does not lose what is typed.
    await page.mouse.click(5, 5);
    await name.fill('Lighthouse');
    await page.keyboard.press('Enter');
    await said(page, 'Team created');
    await dialog.waitFor({ state: 'detached' });
    await focused(page, page.getByRole('button', { name: 'Create a team' }));
  });

  test('a question names what is lost; Escape answers no, and the focus is where it was', async () => {
    const { ada } = world();
    const { page } = ada;
    const menu = page.getByRole('button', { name: 'Actions for Lighthouse' });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Change members' }).press('Enter');
    const members = page.getByRole('dialog', { name: 'Members of Lighthouse' });
    await members.getByRole('checkbox', { name: 'Ada Lovelace' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).press('Enter');
    await members.getByRole('button', { name: 'Save' }).press('Enter');
    await members.waitFor({ state: 'detached' });
    await row(page, 'Teams', 'Lighthouse').filter({ hasText: 'Ada Lovelace' }).waitFor();
    await focused(page, menu);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Delete Lighthouse?' });
    const affected = question.getByRole('list', { name: 'Affected' });
    await affected.getByText('1 member loses the team').waitFor();
    await affected.getByText('Ada Lovelace').waitFor();
    await focused(page, question.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await focused(page, menu);
  });

  test('a change that can be taken back is, by key and by the button of its toast', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    const inTeam = row(page, 'Teams', 'Lighthouse').filter({ hasText: 'Ada Lovelace' });
    await said(page, /Members of Lighthouse changed/);
    await page.keyboard.press('Control+z');
    await inTeam.waitFor({ state: 'detached' });
    await said(page, 'Undone: Members of Lighthouse changed');

    await page.getByRole('button', { name: 'Actions for Lighthouse' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Change members' }).press('Enter');
    const members = page.getByRole('dialog', { name: 'Members of Lighthouse' });
    await members.getByRole('checkbox', { name: 'Ada Lovelace' }).check();
    await members.getByRole('button', { name: 'Save' }).press('Enter');
    await inTeam.waitFor();
    await members.waitFor({ state: 'detached' });
    const undo = page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: /^Undo: Members of/ });
    await undo.focus();
    await page.keyboard.press('Enter');
    await inTeam.waitFor({ state: 'detached' });
    await undo.waitFor({ state: 'detached' });
    // The button is no longer there: the focus is, somewhere else than on the whole document.
    expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('BODY');

    const database = await opened.installation.database();
    const teams = await database.kysely.selectFrom('team').select(['id', 'organization_id']).execute();
    for (const { id, organization_id } of teams) {
      await effect(database, machine, (running) => deleteTeam(running, organization_id, id));
    }
  });
};

async function focused(page: Page, element: Locator): Promise<void> {
  await page.locator(':focus').and(element).waitFor();
}
