import { expect, test } from 'vitest';
import { insertClusterEvent } from '../../../db/clusters/cluster-events.ts';
import { createCluster, findLocalCluster } from '../../../db/clusters/clusters.ts';
import { effect } from '../../../db/engine/effect.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { machine, seedOrganization } from '../../seeds/seed.ts';
import { askedBy } from '../asked.ts';
import { heading, mark } from '../on-page.ts';
import type { Stories } from './world.ts';

export const frameStories: Stories = (world) => {
  /** Where the stories of the frame take place: the local cluster, and the session of the owner. */
  const place = async () => {
    const { ada, opened } = world();
    const database = await opened.installation.database();
    const local = await findLocalCluster(database.kysely);
    if (local === undefined) throw new Error('There is no local cluster.');
    const session = (await ada.context.cookies()).find(({ name }) => name === 'svc_session')?.value ?? '';
    return { ada, opened, database, local, session };
  };

  test('readers in two zones see one moment right in all places, and the same text once both choose UTC', async () => {
    const { opened, database, local, session } = await place();
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    const at = new Date(`${day}T20:30:05Z`);
    await effect(database, machine, (running) =>
      insertClusterEvent(running, {
        organizationId: local.organizationId,
        clusterId: local.id,
        kind: 'agent.lost',
        occasion: 'story of two zones',
        payload: { lastHeardOf: `${day}T20:29:35Z` },
        at,
      }),
    );
    const [tokyo, utc] = await Promise.all(
      ['Asia/Tokyo', 'UTC'].map((timezoneId) => opened.signedIn(session, { timezoneId })),
    );
    if (tokyo === undefined || utc === undefined) throw new Error('A browser is missing.');
    const path = `/default/clusters/${local.id}/events`;
    await Promise.all([tokyo.go(path), utc.go(path)]);
    const shown = async ({ page }: typeof tokyo) => {
      const section = page.getByRole('main').locator('section', { hasText: 'Lost contact with the agent' });
      const event = section.getByRole('listitem').filter({ hasText: 'Lost contact with the agent' });
      await event.waitFor();
      return {
        day: await section.getByRole('heading').innerText(),
        event: await event.innerText(),
        hover: await event.locator('time').first().getAttribute('title'),
        zone: await page.getByText(/^Times in/).innerText(),
      };
    };
    const long = (time: Date) =>
      new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(time);
    const there = await shown(tokyo);
    expect(there.zone).toBe('Times in Asia/Tokyo');
    expect(there.day).toContain(long(new Date(at.getTime() + 86_400_000)));
    expect(there.event).toContain('05:30:05');
    expect(there.event).toMatch(/Last heartbeat at .*, 05:29:35\./);
    expect(there.hover).toMatch(/05:30:05 GMT\+9$/);
    const here = await shown(utc);
    expect(here.zone).toBe('Times in UTC');
    expect(here.day).toContain(long(at));
    expect(here.event).toContain('20:30:05');
    expect(here.event).toMatch(/Last heartbeat at .*, 20:29:35\./);

    const { page } = tokyo;
    const sameLoad = await mark(page);
    await page.getByRole('button', { name: /^You are Ada/ }).click();
    await page.getByRole('menuitemradio', { name: 'UTC' }).click();
    await page.getByText('Times in UTC').waitFor();
    expect(await shown(tokyo)).toEqual(here);
    await sameLoad();
    await page.reload();
    expect(await shown(tokyo)).toEqual(here);
    await tokyo.context.close();
    await utc.context.close();
  });

  test('the breadcrumb switches cluster and organization, keeps the page of the cluster, and filters many', async () => {
    const { ada, opened, database, local } = await place();
    const { page } = ada;
    const { organizationId } = local;
    const other = await effect(database, machine, (running) =>
      createCluster(running, { organizationId, name: 'Hamburg', region: 'eu-north' }),
    );
    await ada.go(`/default/clusters/${local.id}/events`);
    const sameLoad = await mark(page);
    const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' });
    await breadcrumb.getByRole('link', { name: 'Clusters' }).waitFor();
    await breadcrumb.getByRole('button', { name: 'Cluster local; switch' }).click();
    await page.getByRole('menuitemradio', { name: /^Hamburg/ }).click();
    await heading(page, 'Hamburg').waitFor();
    expect(page.url()).toBe(`${opened.url}/default/clusters/${other.id}/events`);
    const parts = page.getByRole('navigation', { name: 'Cluster Hamburg' });
    expect(await parts.locator('[aria-current="page"]').allInnerTexts()).toEqual(['Events']);
    await parts.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    await sameLoad();

    // Other members and organizations of other stories are there, too.
    const { user_id } = await tenant(database.kysely, organizationId)
      .selectFrom('membership')
      .select('user_id')
      .where('role', '=', 'owner')
      .orderBy('created_at')
      .executeTakeFirstOrThrow();
    const branches = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const id = await seedOrganization(database, `branch-${index + 1}`);
        await tenant(database.kysely, id).insertInto('membership').values({ user_id, role: 'viewer' }).execute();
        return id;
      }),
    );
    await page.reload();
    await breadcrumb.getByRole('button', { name: /^Organization .*; switch$/ }).click();
    await page.getByRole('combobox', { name: 'Find in organizations' }).fill('nch-7');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${opened.url}/branch-7`);
    await heading(page, 'Home').waitFor();
    // A page of an organization that its reader leaves is refused what it asks for.
    await ada.go('/default');
    await heading(page, 'Home').waitFor();
    for (const id of branches) {
      await tenant(database.kysely, id).deleteFrom('membership').where('user_id', '=', user_id).execute();
    }
  });

  test('on a phone the breadcrumb says the environment of a service in full, and gives up the service, which the title repeats', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { project } = await asked('POST', '/projects', { name: 'Lighthouse keeping' });
    const { id, slug } = project as { id: string; slug: string };
    await asked('POST', `/projects/${id}/services`, { name: 'Lantern room' });
    await page.setViewportSize({ width: 390, height: 800 });
    try {
      await ada.go(`/default/p/${slug}/e/staging/s/lantern-room`);
      await heading(page, 'Lantern room').waitFor();
      const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' });
      // Part of a pixel too little, and the end is dots.
      const cut = async (crumb: string) => {
        const text = `document.querySelector('button[aria-label="${crumb}; switch"] .truncate')`;
        return Number(
          await page.evaluate(`{
            const [text, range] = [${text}, document.createRange()];
            range.selectNodeContents(text);
            range.getBoundingClientRect().width - text.getBoundingClientRect().width;
          }`),
        );
      };
      expect(await cut('Environment Staging')).toBeLessThan(0.01);
      expect(await cut('Project Lighthouse keeping')).toBeGreaterThan(1);
      // Whatever gives way can still be pressed.
      for (const button of await breadcrumb.getByRole('button').all()) await button.click({ trial: true });
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  test('an address that names nothing says so calmly inside the frame, with a way back; a program reads a problem', async () => {
    const { ada, opened, means } = world();
    const { page } = ada;
    means(/trpc\/(?:clusters|workflows)\.\w+\?.*: (?:404|422)$/, /Nowhere: 404$/);
    const main = page.getByRole('main');
    for (const [path, back] of [
      ['/default/clusters/nope', 'Go to Clusters'],
      ['/default/clusters/00000000-0000-7000-8000-000000000000/events', 'Go to Clusters'],
      ['/default/workflows/nope', 'Go to Workflows'],
      ['/default/nowhere', 'Go to Home'],
      ['/nowhere', 'Go to the first page'],
    ] as const) {
      await ada.go(path);
      await heading(page, 'Not found').waitFor();
      await main.getByRole('link', { name: back }).waitFor();
      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Default').waitFor();
      expect(await main.innerText()).not.toMatch(/Invalid|path\.|Try again/);
      expect(await main.getByRole('button').count()).toBe(0);
    }
    await main.getByRole('link', { name: 'Go to the first page' }).click();
    await heading(page, 'Home').waitFor();
    await ada.go('/Nowhere');
    await heading(page, 'Not found').waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await heading(page, 'Home').waitFor();
    const program = await fetch(`${opened.url}/Nowhere`);
    expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  test('a dialog opened and closed three times needs no Back of its own, and a half-typed form is kept', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    await ada.go('/default');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Teams' }).click();
    await heading(page, 'Teams').waitFor();
    const button = page.getByRole('button', { name: 'Create a team' });
    const dialog = page.getByRole('dialog', { name: 'Create a team' });
    for (const way of ['Escape', 'Cancel', 'Close']) {
      await button.click();
      await dialog.waitFor();
      expect(page.url()).toBe(`${opened.url}/default/teams?make=true`);
      if (way === 'Escape') await page.keyboard.press(way);
      else await dialog.getByRole('button', { name: way }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.locator(':focus').and(button).waitFor();
    }
    await page.goBack();
    await heading(page, 'Home').waitFor();
    await page.goForward();

    await button.click();
    await dialog.getByLabel('Name').fill('Half a na');
    await page.mouse.click(5, 5);
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    expect(await question.count()).toBe(0);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Half a na');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator(':focus').and(button).waitFor();
    await button.click();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('');
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });

    await button.click();
    await dialog.getByLabel('Name').fill('Half a na');
    await page.goBack();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${opened.url}/default/teams?make=true`);
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Half a na');
    const closing = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await closing).type()).toBe('beforeunload');
    await (await closing).dismiss();
    await page.goBack();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${opened.url}/default/teams`);
    await page.goBack();
    await heading(page, 'Home').waitFor();
  });
};
