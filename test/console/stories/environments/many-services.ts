import { expect, test } from 'vitest';
import { seedFullEnvironment } from '../../../seeds/seed-full-environment.ts';
import { askedBy } from '../../asked.ts';
import { row } from '../../on-page.ts';
import type { Stories } from '../world.ts';

const count = 60;

export const manyServicesStories: Stories = (world) => {
  let project = '';

  test('staged changes of sixty services are read from their beginning, found, and deployed without scrolling', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const place = await seedFullEnvironment(database, asked.as.organizationId, { services: count, past: 1 });
    const { slug } = await asked('GET', `/projects/${place.projectId}`);
    project = `/default/p/${slug}`;
    const services = (await asked('GET', `/projects/${place.projectId}/services?limit=200`)).items as { id: string }[];
    const items = services.map(({ id }) => ({ kind: 'variable.set', serviceId: id, key: 'REGION', value: 'eu' }));
    await asked('PUT', `/environments/${place.environmentId}/change-set/items:batch`, { items });
    await ada.go(`/default/p/${slug}/e/staging?changes=true`);
    const dialog = page.getByRole('dialog', { name: 'Staged changes of Staging' });
    // One of each was staged before.
    await dialog.getByText(`${2 * count} changes in ${count} places`).waitFor();
    const height = page.viewportSize()?.height ?? 0;
    for (const seen of [
      dialog.getByRole('heading', { name: 'service-1', exact: true }),
      dialog.getByLabel('Message'),
    ]) {
      const box = await seen.boundingBox();
      expect(box && box.y >= 0 && box.y + box.height <= height).toBe(true);
    }
    expect(await dialog.getByRole('list', { name: 'Changes of service-1', exact: true }).count()).toBe(0);
    await dialog.getByText('service-1', { exact: true }).click();
    await dialog.getByRole('list', { name: 'Changes of service-1', exact: true }).getByText('eu').waitFor();
    await dialog.getByRole('searchbox', { name: 'Find a service or a change' }).fill('service-57');
    await dialog.getByText(`1 of ${count}`).waitFor();
    await dialog.getByRole('list', { name: 'Changes of service-57' }).getByText('eu').waitFor();
    await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.waitForURL('**/e/staging/deployments');
    expect((await asked('GET', `/environments/${place.environmentId}/change-set`)).items).toEqual([]);

    // The canvas shows all of them at first, and goes to the one that is looked for.
    await ada.go(`${project}/e/staging?view=canvas`);
    const canvas = page.getByRole('region', { name: 'Canvas of Staging' });
    const box = (name: string) => canvas.getByRole('button', { name: new RegExp(`^${name}\\b`) });
    await box('service-1').waitFor();
    expect(await canvas.getByRole('button', { name: /^service-/ }).count()).toBe(count);
    await canvas
      .getByRole('searchbox', { name: 'Find a service' })
      .or(canvas.getByLabel('Find a service'))
      .fill('rvice-57');
    await page.keyboard.press('Enter');
    await box('service-57').and(page.locator(':focus')).waitFor();
    const found = await box('service-57').boundingBox();
    expect(found?.width ?? 0).toBeGreaterThan(150);
  });

  test('the page of a project finds a service among many', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go(project);
    await row(page, 'Services', 'service-1').first().waitFor();
    await page.getByLabel('Find a service').fill('rvice-57');
    await row(page, 'Services', 'service-1').first().waitFor({ state: 'detached' });
    expect(await row(page, 'Services', 'service-').count()).toBe(1);
    await row(page, 'Services', 'service-57').waitFor();
  });

  test('the page of a project leads to a new service', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go(project);
    await page.getByRole('link', { name: 'New service in Staging' }).click();
    await page.getByRole('dialog', { name: 'New service in Staging' }).waitFor();
  });
};
