import { v7 as uuid } from 'uuid';
import { type Author, effect } from '../../db/engine/effect.ts';
import { createOrganization } from '../../db/organizations/organizations.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { Role } from '../../domain/roles.ts';

/** Who makes things in tests. */
export const machine: Author = { kind: 'machine', id: 'test', name: 'test' };

export async function seedUser(database: Database, name = 'Ada'): Promise<string> {
  const id = uuid();
  await database.kysely
    .insertInto('app_user')
    .values({ id, name, email: `${id}@example.com` })
    .execute();
  return id;
}

export async function seedOrganization(database: Database, slug = `o-${uuid()}`): Promise<string> {
  return (await effect(database, machine, (effect) => createOrganization(effect, { name: slug, slug }))).id;
}

export async function seedMember(
  database: Database,
  organizationId: string,
  role: Role = 'owner',
  name?: string,
): Promise<string> {
  const userId = await seedUser(database, name);
  await tenant(database.kysely, organizationId).insertInto('membership').values({ user_id: userId, role }).execute();
  return userId;
}
