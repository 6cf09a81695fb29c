import { expect, test } from 'vitest';
import { tenant } from '../../../../db/postgres/tenant.ts';
import { seedOrganization } from '../../../seeds/seed.ts';
import { seedPlace } from '../../../seeds/seed-place.ts';
import { askedBy, type Session } from '../../asked.ts';
import { heading, mark, row } from '../../on-page.ts';
import type { Stories } from '../world.ts';

export const guardStories: Stories = (world) => {
  test('a guard that another admin loosened appears on Home without reload, and one click makes it again what it was', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const { as } = await askedBy(opened, ada);
    const database = await opened.installation.database();
    const slug = `guards-${crypto.randomUUID().slice(0, 8)}`;
    const organizationId = await seedOrganization(database, slug);
    const memberships = tenant(database.kysely, organizationId).insertInto('membership');
    await memberships.values({ user_id: as.userId, role: 'owner' }).execute();
    const { environmentId } = await seedPlace(database, organizationId, { production: true });
    const path = `/api/v1/environments/${environmentId}`;
    const production = async () => {
      const { body } = await opened.installation.call('GET', path, { as: { ...as, organizationId } });
      return body.production;
    };
    await ada.go(`/${slug}`);
    await heading(page, 'Home').waitFor();
    const sameLoad = await mark(page);
    const grace = (await opened.installation.session(organizationId, 'admin')) as Session;
    await opened.installation.call('PATCH', path, { as: grace, body: { production: false } });
    const item = row(page, 'Needs attention', 'is not marked as production any more');
    await item.getByText('Nothing was deployed to production meanwhile.').waitFor();
    expect(await production()).toBe(false);
    await item.getByRole('button', { name: 'Undo' }).click();
    await item.getByText(/Undone by /).waitFor();
    await item.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    expect(await production()).toBe(true);
    await sameLoad();
  });
};
