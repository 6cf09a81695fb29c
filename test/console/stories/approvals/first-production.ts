import { expect, test } from 'vitest';
import { askedBy } from '../../asked.ts';
import { pushSample } from '../../delivery.ts';
import { hand } from '../../first-address.ts';
import { heading } from '../../on-page.ts';
import type { Stories } from '../world.ts';

export const firstProductionStories: Stories = (world) => {
  test('what nobody has deployed before is in approved production after eight clicks', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { project, environments } = await asked('POST', '/projects', { name: 'Kettle' });
    const [environment] = environments as { id: string }[];
    await asked('POST', `/projects/${(project as { id: string }).id}/services`, {
      ...{ name: 'Web', environmentId: environment?.id },
    });
    await pushSample(opened, 'default/kettle/web');
    await ada.go('/default/p');
    const { click, fill, done } = hand(page);
    await click('link', 'New project');
    await fill('Name', 'Tea room');
    await fill('Reference', 'default/kettle/web:latest');
    await click('button', 'Create and deploy');
    await click('link', 'Go to the project');
    await click('button', 'Add to Production');
    await click('button', 'Request approval');
    await heading(page, 'Release 2').waitFor();
    await click('button', 'Approve');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    done.clicks += 1;
    await page.getByText('Live', { exact: true }).first().waitFor();
    expect(done.clicks).toBeLessThanOrEqual(8);
    expect(done.fields).toBeLessThanOrEqual(2);
  });
};
