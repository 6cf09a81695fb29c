import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

export interface VariableView {
  /** Null of one that the environment's services share; its slug is empty. */
  serviceId: string | null;
  serviceSlug: string;
  key: string;
  /** Empty if it is secret. */
  value: string;
  secret: boolean;
  updatedAt: Date;
  updatedBy: string;
  staged: 'set' | 'unset' | null;
  itemId: string | null;
}

export interface VariablePosition {
  slug: string;
  key: string;
}

interface Sought {
  limit: number;
  /** Only those of this service; null: only those shared. */
  of?: string | null | undefined;
  after?: VariablePosition | undefined;
}

/**
 * The variables of an environment as they will be once the draft is applied: those shared, then those of its services, by
 * service and key. Those that a draft unsets are still there and say so.
 */
export async function listVariables(
  kysely: Kysely<Tables>,
  { organizationId, id }: { organizationId: string; id: string },
  { limit, of, after }: Sought,
): Promise<VariableView[]> {
  const own = tenant(kysely, organizationId);
  const applied = own
    .selectFrom('variable')
    .innerJoin('service', 'service.id', 'variable.service_id')
    .where('variable.environment_id', '=', id)
    .where('service.deletion_id', 'is', null)
    .$if(of !== undefined, (query) => query.where('variable.service_id', '=', of ?? ''))
    .$if(after !== undefined, (query) => query.where(beyond('variable.key', after)))
    .select([
      'variable.service_id as serviceId',
      'service.slug as serviceSlug',
      'variable.key',
      'variable.value',
      sql<boolean>`variable.sealed is not null`.as('secret'),
      'variable.updated_at as updatedAt',
      'variable.updated_by as updatedBy',
    ])
    .orderBy(bytewise('service.slug'))
    .orderBy(bytewise('variable.key'))
    .limit(limit);
  // Those shared come first: their slug is empty.
  const shared = own
    .selectFrom('shared_variable')
    .where('environment_id', '=', id)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`${bytewise('key')} > ${after?.key ?? ''}`))
    .select([sql<null>`null`.as('serviceId'), sql<string>`''`.as('serviceSlug'), 'key', 'value'])
    .select([sql<boolean>`sealed is not null`.as('secret'), 'updated_at as updatedAt', 'updated_by as updatedBy'])
    .orderBy(bytewise('key'))
    .limit(limit);
  const beginsWithShared = typeof of !== 'string' && (after?.slug ?? '') === '';
  const staged = own
    .selectFrom('change_set_item')
    .innerJoin('draft', 'draft.id', 'change_set_item.change_set_id')
    .leftJoin('service', 'service.id', 'change_set_item.service_id')
    .where('draft.environment_id', '=', id)
    .where('change_set_item.kind', 'in', ['variable.set', 'variable.unset'])
    .$if(of !== undefined, (query) => query.where('change_set_item.service_id', of === null ? 'is' : '=', of ?? null))
    .$if(after !== undefined, (query) => query.where(beyond('change_set_item.key', after)))
    .select([
      'change_set_item.id',
      'change_set_item.kind',
      'change_set_item.service_id as serviceId',
      slug.as('serviceSlug'),
      'change_set_item.key',
      'change_set_item.to_value as to',
      'change_set_item.secret',
      'change_set_item.created_at as updatedAt',
      'change_set_item.staged_by_name as updatedBy',
    ])
    .orderBy(sql`${slug} collate "C"`)
    .orderBy(bytewise('change_set_item.key'))
    .limit(limit)
    .execute();
  const found = [...(beginsWithShared ? await shared.execute() : []), ...(of === null ? [] : await applied.execute())];
  return merged(found, await staged).slice(0, limit);
}

const slug = sql<string>`coalesce(service.slug, '')`;

/** The order of bytes, in which the two lists are merged: that of the database depends on its locale. */
function bytewise(column: string) {
  return sql`${sql.ref(column)} collate "C"`;
}

function beyond(column: string, after: VariablePosition | undefined) {
  return sql<boolean>`(${slug} collate "C", ${bytewise(column)}) > (${after?.slug ?? ''}, ${after?.key ?? ''})`;
}

type Applied = Omit<VariableView, 'staged' | 'itemId'>;
type Staged = Omit<Applied, 'value'> & { id: string; kind: string; to: string };

function merged(applied: readonly Applied[], staged: readonly Staged[]): VariableView[] {
  const found = new Map<string, VariableView>();
  for (const one of applied) found.set(placeOf(one), { ...one, staged: null, itemId: null });
  for (const { id, kind, to, ...one } of staged) {
    const before = found.get(placeOf(one));
    if (kind === 'variable.unset') {
      if (before !== undefined) found.set(placeOf(one), { ...before, staged: 'unset', itemId: id });
    } else {
      found.set(placeOf(one), { ...one, value: to === '' ? '' : JSON.parse(to), staged: 'set', itemId: id });
    }
  }
  return [...found.values()].toSorted((a, b) => compare(a.serviceSlug, b.serviceSlug) || compare(a.key, b.key));
}

function placeOf({ serviceId, key }: { serviceId: string | null; key: string }): string {
  return `${serviceId ?? ''} ${key}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
