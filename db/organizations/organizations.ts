import { CompiledQuery, type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { addMember } from '../members/members.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';

export interface OrganizationView {
  id: string;
  name: string;
  slug: string;
  defaultClusterId: string | null;
  buildRegistryCredentialId: string | null;
  buildRepositoryPrefix: string | null;
  requireMfa: boolean;
  createdAt: Date;
}

export interface MembershipView {
  organizationId: string;
  name: string;
  slug: string;
  role: Role;
  requireMfa: boolean;
  createdAt: Date;
}

// Written out and prepared: it is read all the time.
const organizationQuery = `
  select id, name, slug, default_cluster_id as "defaultClusterId",
         build_registry_credential_id as "buildRegistryCredentialId",
         build_repository_prefix as "buildRepositoryPrefix", require_mfa as "requireMfa", created_at as "createdAt"
  from organization
  where deletion_id is null and `;
const byId = `${organizationQuery}id = $1`;
const bySlug = `${organizationQuery}slug = $1`;

/** An organization that is not deleted. */
export async function findOrganization(kysely: Kysely<Tables>, id: string): Promise<OrganizationView | undefined> {
  return await oneOrganization(kysely, byId, id);
}

export async function findOrganizationBySlug(
  kysely: Kysely<Tables>,
  slug: string,
): Promise<OrganizationView | undefined> {
  return await oneOrganization(kysely, bySlug, slug);
}

/** Whether a user owns the first organization that there is, and with it the installation. Without any, everybody does. */
export async function ownsFirstOrganization(kysely: Kysely<Tables>, userId: string): Promise<boolean> {
  const first = await acrossTenants(kysely)
    .selectFrom('organization')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'organization.id')
        .on('membership.user_id', '=', userId)
        .on('membership.role', '=', 'owner'),
    )
    .select('membership.role')
    .where('organization.deletion_id', 'is', null)
    .orderBy('organization.created_at')
    .orderBy('organization.id')
    .limit(1)
    .executeTakeFirst();
  return first === undefined || first.role !== null;
}

/** The organizations a user belongs to, oldest first. */
export async function listMemberships(kysely: Kysely<Tables>, userId: string, page: Page): Promise<MembershipView[]> {
  const query = acrossTenants(kysely)
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .select([
      'organization.id as organizationId',
      'organization.name',
      'organization.slug',
      'membership.role',
      'organization.require_mfa as requireMfa',
      'organization.created_at as createdAt',
    ])
    .where('membership.user_id', '=', userId)
    .where('organization.deletion_id', 'is', null)
    .$call(pageOf('organization', 'oldest', page));
  return await query.execute();
}

/** Makes an organization, with its owner if a person makes it. */
export async function createOrganization(
  effect: Effect,
  organization: { name: string; slug: string; ownerId?: string },
): Promise<OrganizationView> {
  const { name, slug, ownerId } = organization;
  const id = uuid();
  try {
    await effect.kysely.insertInto('organization').values({ id, name, slug }).execute();
  } catch (error) {
    if (uniqueViolation(error) === 'organization_slug_unique') throw slugTaken(slug);
    throw error;
  }
  effect.audit('organization.created', { organizationId: id, id, name }, { slug });
  effect.change({ organizationId: id, kind: 'organization', id });
  if (ownerId !== undefined) await addMember(effect, { organizationId: id, userId: ownerId, role: 'owner' });
  const created = await findOrganization(effect.kysely, id);
  if (created === undefined) throw new Error('The organization that was just made is not there.');
  return created;
}

/**
 * On a first start: the organization `default`, so that the command line works before anyone has signed in. Once there
 * is or was any organization it makes none: a `default` that its owner deleted stays deleted.
 */
export async function ensureDefaultOrganization(
  effect: Effect,
): Promise<{ organization: OrganizationView | undefined; created: boolean }> {
  const { kysely } = effect;
  await sql`select pg_advisory_xact_lock(hashtextextended('ballast default organization', 0))`.execute(kysely);
  const known = await findOrganizationBySlug(kysely, 'default');
  if (known !== undefined) return { organization: known, created: false };
  const any = await kysely
    .selectFrom('organization')
    .select('id')
    .unionAll(kysely.selectFrom('deletion').select('id'))
    .limit(1)
    .executeTakeFirst();
  if (any !== undefined) return { organization: undefined, created: false };
  return { organization: await createOrganization(effect, { name: 'Default', slug: 'default' }), created: true };
}

export function slugTaken(slug: string): Problem {
  return new Problem('slug-taken', `Another organization has the slug "${slug}": choose another one.`, {
    errors: [{ location: 'body.slug', message: 'is taken by another organization', value: slug }],
  });
}

async function oneOrganization(
  kysely: Kysely<Tables>,
  query: string,
  value: string,
): Promise<OrganizationView | undefined> {
  const { rows } = await kysely.executeQuery<OrganizationView>(CompiledQuery.raw(query, [value]));
  return rows[0];
}
