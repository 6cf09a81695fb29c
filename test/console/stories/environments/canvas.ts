import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { seedFullEnvironment } from '../../../seeds/seed-full-environment.ts';
import { askedBy } from '../../asked.ts';
import { mark, said } from '../../on-page.ts';
import type { Stories } from '../world.ts';

export const canvasStories: Stories = (world) => {
  test('a canvas by keyboard and mouse: a panel opens and closes, a box is kept where it is put, Undo puts it back, and others see it move', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const place = await seedFullEnvironment(database, asked.as.organizationId, { services: 6, past: 1 });
    await sql`
      update environment_service place set settings = jsonb_set(settings, '{dependsOn}', '["service-2"]')
      from service where service.id = place.service_id and place.environment_id = ${place.environmentId}
        and service.slug = 'service-1'`.execute(database.kysely);
    const { slug } = await asked('GET', `/projects/${place.projectId}`);
    await ada.go(`/default/p/${slug}/e/staging`);
    const scripts: string[] = [];
    page.on('request', (request) => void scripts.push(request.url()));
    await page.getByRole('link', { name: 'Canvas' }).click();
    const box = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}\\b`) });
    await box('service-1').waitFor();
    // Nobody else waits for the file of the canvas.
    expect(scripts.some((address) => /\/files\/canvas-view-[^/]+\.js/.test(address))).toBe(true);
    await page.getByRole('img', { name: 'service-1 needs service-2' }).waitFor({ state: 'attached' });

    await box('service-1').focus();
    await page.keyboard.press('ArrowRight');
    await box('service-2').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'service-2', exact: true });
    await panel.getByText('Needed by').waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe('service-2');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await box('service-2').and(page.locator(':focus')).waitFor();

    const placed = async () => {
      const services = (await asked('GET', `/projects/${place.projectId}/services`)).items as Record<string, unknown>[];
      return services.filter(({ canvasX }) => canvasX !== undefined).map((one) => one.slug);
    };
    await page.keyboard.press('Shift+ArrowDown');
    await said(page, '1 service moved');
    expect(await placed()).toEqual(['service-2']);
    await page.getByRole('button', { name: 'Arrange' }).click();
    await said(page, 'Services arranged');
    expect(await placed()).toEqual([]);
    await page.keyboard.press('Control+z');
    await said(page, 'Undone: 1 service moved');
    expect(await placed()).toEqual(['service-2']);

    const stays = await mark(page);
    const before = await box('service-3').boundingBox();
    const positions = [{ serviceId: place.serviceId, x: before?.x ?? 0, y: -200 }];
    const at = async () => (await box('service-1').boundingBox())?.y ?? 0;
    const y = await at();
    await asked('PUT', `/projects/${place.projectId}/canvas`, { positions });
    await opened.installation.until('the box moves', async () => (await at()) !== y);
    await stays();
  });
};
