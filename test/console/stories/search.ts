import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { createToken } from '../../../db/api-tokens/api-tokens.ts';
import { effect } from '../../../db/engine/effect.ts';
import type { Database } from '../../../db/postgres/database.ts';
import { createSession } from '../../../db/sign-in/sessions.ts';
import { createTeam } from '../../../db/teams/teams.ts';
import { machine, seedMember } from '../../seeds/seed.ts';
import { seedInstance } from '../../seeds/seed-cluster.ts';
import { heading, routed, row, said } from '../on-page.ts';
import type { Stories } from './world.ts';

export const searchStories: Stories = (world) => {
  test('among a thousand members the palette and the page find one that is not loaded; a viewer finds no tokens', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    const database = await opened.installation.database();
    const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
    await seedSeekers(database, id, 1_000);
    const last = await seedMember(database, id, 'viewer', 'Zenobia Quist');
    const viewer = await seedMember(database, id, 'viewer', 'Vera Viewer');
    const token = await effect(database, machine, (running) =>
      createToken(running, { organizationId: id, name: 'zenith deploys', role: 'viewer' }),
    );
    await effect(database, machine, (running) => createTeam(running, id, 'Zenith crew'));
    try {
      const asked: URL[] = [];
      page.on(
        'request',
        (request) => void (request.url().includes('members.list') && asked.push(new URL(request.url()))),
      );

      // By the palette, with the keyboard alone.
      await ada.go('/default');
      await heading(page, 'Home').waitFor();
      await seek(page, 'zenobia');
      await page.getByRole('option', { name: 'Zenobia Quist' }).waitFor();
      expect(await page.getByRole('option').count()).toBe(1);
      await page.keyboard.press('Enter');
      await row(page, 'Members', 'Zenobia Quist').waitFor();
      expect(new URL(page.url()).searchParams.get('q')).toBe('Zenobia Quist');

      // By the page: what is loaded is narrowed, and the rest is asked for by the words, not loaded.
      await ada.go('/default/members');
      await row(page, 'Members', 'Seeker 0001').waitFor();
      expect(await row(page, 'Members', 'Zenobia Quist').count()).toBe(0);
      asked.length = 0;
      const field = page.getByRole('searchbox', { name: 'Search members' });
      await field.fill('quist ZENOBIA');
      await row(page, 'Members', 'Zenobia Quist').waitFor();
      await page.getByText('1 found').waitFor();
      expect(await page.getByRole('table', { name: 'Members' }).getByRole('row').count()).toBe(2);
      expect(asked.map((url) => url.searchParams.get('input')?.includes('quist ZENOBIA'))).toEqual([true]);
      await field.fill('zenobia seeker');
      await page.getByText('No results').waitFor();

      // By the chooser of a team's members.
      await ada.go('/default/teams');
      await page.getByRole('button', { name: 'Actions for Zenith crew' }).click();
      await page.getByRole('menuitem', { name: 'Change members' }).click();
      const chooser = page.getByRole('dialog', { name: 'Members of Zenith crew' });
      await chooser.getByRole('checkbox', { name: 'Seeker 0100' }).waitFor();
      await chooser.getByRole('searchbox').fill('zenobia');
      await chooser.getByRole('checkbox', { name: 'Zenobia Quist' }).check();
      await chooser.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Members of Zenith crew changed');

      // The token is found by who may list tokens, and by nobody else.
      await ada.go('/default');
      await heading(page, 'Home').waitFor();
      await seek(page, 'zenith');
      await page.getByRole('option', { name: 'zenith deploys' }).waitFor();
      const session = await effect(database, machine, (running) =>
        createSession(running, { userId: viewer, lifetimeSeconds: 3_600 }),
      );
      const vera = await opened.signedIn(session.secret);
      await vera.go('/default');
      await heading(vera.page, 'Home').waitFor();
      await seek(vera.page, 'zenith');
      await vera.page.getByRole('option', { name: 'Zenith crew' }).waitFor();
      expect(await vera.page.getByRole('option', { name: /deploys/ }).count()).toBe(0);
      await vera.page.context().close();
    } finally {
      const { kysely } = database;
      await kysely.deleteFrom('api_token').where('id', '=', token.row.id).execute();
      const team = kysely.selectFrom('team').select('id').where('name', '=', 'Zenith crew');
      await kysely.deleteFrom('team_member').where('team_id', 'in', team).execute();
      await kysely.deleteFrom('team').where('name', '=', 'Zenith crew').execute();
      const seekers = kysely.selectFrom('app_user').select('id').where('name', 'like', 'Seeker %');
      await kysely
        .deleteFrom('membership')
        .where(({ or, eb }) => or([eb('user_id', 'in', [last, viewer]), eb('user_id', 'in', seekers)]))
        .execute();
    }
  });

  test('the palette begins with what was visited, goes to pasted ids and addresses, and says what it searched and what failed', async () => {
    const { ada, opened, means } = world();
    const { page } = ada;
    const database = await opened.installation.database();
    const { id: organizationId } = await database.kysely
      .selectFrom('organization')
      .select('id')
      .executeTakeFirstOrThrow();
    const id = uuid();
    const lost = { id, organization_id: organizationId, name: 'Harbour', slug: 'harbour', state: 'lost' } as const;
    await database.kysely.insertInto('cluster').values(lost).execute();
    await database.kysely
      .insertInto('cluster_agent')
      .values({ cluster_id: id, organization_id: organizationId, contact: 'lost' })
      .execute();
    const instance = await seedInstance(database, { id, organizationId }, 'billing');
    await database.kysely
      .updateTable('cluster_agent')
      .set({ last_heartbeat_at: new Date() })
      .where('cluster_id', '=', id)
      .execute();
    try {
      await ada.go('/default/teams');
      await heading(page, 'Teams').waitFor();
      await seek(page, `  ${id.toUpperCase()} `);
      const found = page.getByRole('option', { name: /Harbour/ });
      await found.first().getByText('Lost contact').waitFor();
      await seekAgain(page, instance);
      await page.getByRole('option', { name: instance }).getByText('Last known: Ready').waitFor();
      await seekAgain(page, id);
      await found.first().waitFor();
      await page.keyboard.press('Enter');
      await heading(page, 'Harbour').waitFor();

      // Now it is among what was visited, for this person in this organization.
      await ada.go('/default/teams');
      await heading(page, 'Teams').waitFor();
      await seek(page, '');
      await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Harbour' }).waitFor();
      await page.keyboard.press('Enter');
      await heading(page, 'Harbour').waitFor();

      await seek(page, `${opened.url}/default/members?role=owner`);
      await page.getByRole('option', { name: 'Go to /default/members?role=owner' }).waitFor();
      await page.keyboard.press('Enter');
      await heading(page, 'Members').waitFor();
      expect(new URL(page.url()).searchParams.get('role')).toBe('owner');

      await seek(page, 'xyzzy');
      await page.getByText('No page, no action and nothing in default matches “xyzzy”.').waitFor();
      means(/searches\.search\?.*: 500$/);
      await routed(page, '**/trpc/searches.search*', (route) => route.fulfill({ status: 500, body: '{}' }));
      await seekAgain(page, 'plugh');
      await page.getByText('Only pages and actions are searched.').waitFor();
      await page.unroute('**/trpc/searches.search*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('matches “plugh”.').waitFor();
      await page.keyboard.press('Escape');
    } finally {
      const { kysely } = database;
      await kysely.deleteFrom('observed_slice').where('cluster_id', '=', id).execute();
      await kysely.deleteFrom('cluster_agent').where('cluster_id', '=', id).execute();
      await kysely.deleteFrom('cluster').where('id', '=', id).execute();
    }
  });
};

async function seedSeekers(database: Database, organizationId: string, count: number): Promise<void> {
  await sql`
    with made as (
      insert into app_user (id, name, email)
      select gen_random_uuid(), 'Seeker ' || lpad(number::text, 4, '0'), 'seeker' || number || '@example.com'
      from generate_series(1, ${count}::int) as number
      returning id, name
    )
    insert into membership (organization_id, user_id, role, created_at)
    select ${organizationId}, id, 'viewer', now() - interval '1 minute' + make_interval(secs => right(name, 4)::int / 100.0) from made
  `.execute(database.kysely);
}

async function seek(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await seekAgain(page, text);
}

async function seekAgain(page: Page, text: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Search everything' }).fill(text);
}
