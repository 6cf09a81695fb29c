import { expect, test } from 'vitest';
import { askedBy } from '../../asked.ts';
import { row } from '../../on-page.ts';
import type { Stories } from '../world.ts';

export const variableStories: Stories = (world) => {
  let environmentId = '';

  test('an env file is compared before it is staged, and what looks like a credential is kept secret', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { project, environments } = await asked('POST', '/projects', { name: 'Imports' });
    const { id, slug } = project as { id: string; slug: string };
    const staging = (environments as { id: string; slug: string }[]).find((one) => one.slug === 'staging');
    environmentId = staging?.id ?? '';
    await asked('POST', `/projects/${id}/services`, { name: 'Web', environmentId });
    await ada.go(`/default/p/${slug}/e/staging/s/web/variables`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import variables into Web' });
    const text = dialog.getByLabel('Env file');
    await text.fill('LEVEL=info\nLEVEL=debug');
    await dialog.getByText('Line 2: LEVEL is there more than once: on lines 1, 2').waitFor();
    await text.fill('LEVEL=info\nAPI_TOKEN="not to be shown"');
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('2 added.').waitFor();
    const changes = dialog.getByRole('list', { name: 'Changes' });
    expect(await changes.innerText()).not.toContain('not to be shown');
    await dialog.getByRole('button', { name: 'Stage 2 changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'Variables', 'API_TOKEN').getByText('Secret, never shown').waitFor();
    await row(page, 'Variables', 'LEVEL').getByText('info').waitFor();
  });

  test('a shared variable is added, referred to and deployed, and a variable is put into a file', async () => {
    const { ada } = world();
    const { page } = ada;
    const staging = new URL(page.url()).pathname.replace('/s/web/variables', '');
    await ada.go(`${staging}/variables`);
    await page.getByRole('button', { name: 'Add a variable' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key').fill('REGION');
    await dialog.getByLabel('Value').fill('eu-central');
    await dialog.getByRole('button', { name: 'Stage' }).click();
    await row(page, 'Shared variables', 'REGION').getByText('Not used').waitFor();
    await page.getByText('4 changes in 1 service and shared variables, by you').waitFor();

    await ada.go(`${staging}/s/web/variables`);
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for LEVEL' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await choose('Change');
    await dialog.getByLabel('Value').fill('${{shared.REGION}}');
    await dialog.getByRole('button', { name: 'Stage' }).click();
    await row(page, 'Variables', 'LEVEL').getByText('${{shared.REGION}}').waitFor();
    await choose('Put into a file');
    await dialog.getByLabel('Path').fill('config/level');
    await page.keyboard.press('Enter');
    await row(page, 'Files', 'config/level').getByText('FILE_LEVEL').waitFor();
    await row(page, 'Variables', 'LEVEL').getByText('File config/level').waitFor();

    await page.getByRole('button', { name: 'Review and deploy' }).click();
    await dialog.getByRole('heading', { name: 'Shared variables' }).waitFor();
    await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.waitForURL('**/deployments');
    await ada.go(`${staging}/variables`);
    const shared = row(page, 'Shared variables', 'REGION');
    await shared.getByText('Used by web.LEVEL').waitFor();
    expect(await shared.getByText('staged').count()).toBe(0);
  });

  test('a variable that somebody else stages while it is being changed is shown, and overwritten only on purpose', async () => {
    const { opened, ada, means } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    await page.getByRole('button', { name: 'Actions for REGION' }).click();
    await page.getByRole('menuitem', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change REGION' });
    await dialog.getByLabel('Value').fill('eu-north');
    const theirs = { kind: 'variable.set', key: 'REGION', value: 'us-east' };
    await asked('PUT', `/environments/${environmentId}/change-set/items`, theirs);
    means(/changeSets\.putItem: 409$/);
    await dialog.getByRole('button', { name: 'Stage' }).click();
    await dialog.getByText('changed REGION to “us-east”').waitFor();
    // A change that has come since is shown, too.
    await asked('PUT', `/environments/${environmentId}/change-set/items`, { ...theirs, value: 'us-west' });
    means(/changeSets\.putItem: 409$/);
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByText('changed REGION to “us-west”').waitFor();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await row(page, 'Shared variables', 'REGION').getByText('eu-north').waitFor();

    // A new one of the same key is not meant for this one either.
    await page.getByRole('button', { name: 'Add a variable' }).first().click();
    const adding = page.getByRole('dialog');
    await adding.getByLabel('Key').fill('REGION');
    await adding.getByLabel('Value').fill('ap-south');
    await adding.getByRole('button', { name: 'Stage' }).click();
    await adding.getByText('changed REGION to “eu-north”').waitFor();
    await adding.getByRole('button', { name: 'Keep mine' }).click();
    await row(page, 'Shared variables', 'REGION').getByText('ap-south').waitFor();
  });
};
