import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BuildTime } from '../../../domain/variables/build-time.ts';
import type { EnvironmentView } from '../../environments/environments.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { EnvironmentRef } from '../environment-ref.ts';

interface VariableView {
  /** Null of one that the environment's services share; its slug is empty. */
  serviceId: string | null;
  serviceSlug: string;
  key: string;
  /** Empty if it is secret. */
  value: string;
  secret: boolean;
  buildTime: BuildTime;
  updatedAt: Date;
  updatedBy: string;
  staged: 'set' | 'unset' | null;
  itemId: string | null;
}

interface VariablePosition {
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
 * service and key. Those that a draft unsets are still there and say so. A page reads its own rows, in the order of its indexes.
 */
export async function listVariables(
  kysely: Kysely<Tables>,
  environment: Environment,
  { limit, of, after }: Sought,
): Promise<VariableView[]> {
  const scopes: Scope[] = [];
  // Those shared come first: their slug is empty.
  if (typeof of !== 'string' && (after?.slug ?? '') === '') scopes.push(sharedScope(environment, after));
  if (of !== null) scopes.push(servicesScope(environment, of, after, limit));
  const found: VariableView[] = [];
  for (const { applied, staged } of scopes) {
    const ask = <Row>(rows: RawBuilder<unknown>) => sql<Row>`${rows} limit ${limit}`.execute(kysely);
    found.push(...merged((await ask<Applied>(applied)).rows, (await ask<Staged>(staged)).rows));
    // None of the services comes before any of those shared.
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Applied and staged variables of one kind, each in the order of bytes: that of the database depends on its locale. */
interface Scope {
  applied: RawBuilder<unknown>;
  staged: RawBuilder<unknown>;
}

type Environment = Pick<EnvironmentView, 'id' | 'organizationId' | 'projectId'>;

const appliedColumns = sql`key, value, sealed is not null as secret, coalesce(build_time, 'no') as "buildTime", updated_at as "updatedAt", updated_by as "updatedBy"`;
const stagedColumns = sql`
  id, kind, key, to_value as "to", secret, coalesce(build_time, 'no') as "buildTime", created_at as "updatedAt", staged_by_name as "updatedBy"`;

function sharedScope({ id, organizationId }: Environment, after: VariablePosition | undefined): Scope {
  const beyond = sql`key collate "C" > ${after?.key ?? ''}`;
  return {
    applied: sql`
      select null as "serviceId", '' as "serviceSlug", ${appliedColumns} from shared_variable
      where organization_id = ${organizationId} and environment_id = ${id} and ${beyond} order by key collate "C"`,
    staged: sql`
      select null as "serviceId", '' as "serviceSlug", ${stagedColumns} from change_set_item
      where organization_id = ${organizationId} and ${ofDraft(id, organizationId)} and service_id is null and ${beyond}
      order by key collate "C"`,
  };
}

/** Services are walked by slug, and of each those keys that are beyond the position. */
function servicesScope(
  { id, organizationId, projectId }: Environment,
  of: string | undefined,
  after: VariablePosition | undefined,
  limit: number,
): Scope {
  const own = sql`
    service_id = service.id and key collate "C" > case when service.slug = ${after?.slug ?? ''} then ${after?.key ?? ''} else '' end
    order by key collate "C" limit ${limit}`;
  const walk = (rows: RawBuilder<unknown>, columns: RawBuilder<unknown>) => sql`
    select service.id as "serviceId", service.slug as "serviceSlug", one.key, one.secret, one."buildTime", one."updatedAt", one."updatedBy",
      ${columns}
    from service cross join lateral (${rows}) one
    where service.organization_id = ${organizationId} and service.project_id = ${projectId} and service.deletion_id is null
      and service.slug collate "C" >= ${after?.slug ?? ''} and ${of === undefined ? sql`true` : sql`service.id = ${of}`}
    order by service.slug collate "C", one.key collate "C"`;
  return {
    applied: walk(
      sql`
      select ${appliedColumns} from variable
      where organization_id = ${organizationId} and environment_id = ${id} and ${own}`,
      sql`one.value`,
    ),
    staged: walk(
      sql`
        select ${stagedColumns} from change_set_item
        where organization_id = ${organizationId} and ${ofDraft(id, organizationId)} and ${own}`,
      sql`one.id, one.kind, one."to"`,
    ),
  };
}

function ofDraft(environmentId: string, organizationId: string): RawBuilder<unknown> {
  return sql`kind in ('variable.set', 'variable.unset') and change_set_id =
    (select id from draft where environment_id = ${environmentId} and organization_id = ${organizationId})`;
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

/** One change of a variable that was applied. */
interface AppliedVariable {
  id: string;
  changeSetId: string;
  change: 'set' | 'unset';
  /** JSON text; empty if it is secret or nothing was there. */
  from: string;
  to: string;
  secret: boolean;
  buildTime: BuildTime | null;
  stagedBy: { id: string; name: string };
  appliedBy: { id: string; name: string };
  message: string;
  stagedAt: Date;
  createdAt: Date;
}

/** The past of a variable of a service, or of a shared one, newest first: each change set that set or unset it. `createdAt` is when it was applied. */
export async function variableHistory(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  { serviceId, key }: { serviceId?: string | undefined; key: string },
  { limit, after }: { limit: number; after: { createdAt: Date; id: string } | undefined },
): Promise<AppliedVariable[]> {
  let query = tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .innerJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
    .where('change_set_item.environment_id', '=', environmentId)
    .where('change_set_item.service_id', serviceId === undefined ? 'is' : '=', serviceId ?? null)
    .where('change_set_item.key', '=', key)
    .where('change_set_item.kind', 'in', ['variable.set', 'variable.unset'])
    .where('change_set.applied_at', 'is not', null)
    .select([
      'change_set_item.id',
      'change_set.id as changeSetId',
      sql<'set' | 'unset'>`substr(change_set_item.kind, 10)`.as('change'),
      'change_set_item.from_value as from',
      'change_set_item.to_value as to',
      'change_set_item.secret',
      'change_set_item.build_time as buildTime',
      'change_set_item.staged_by_id as stagedById',
      'change_set_item.staged_by_name as stagedByName',
      'change_set.requested_by_id as appliedById',
      'change_set.requested_by_name as appliedByName',
      'change_set.title as message',
      'change_set_item.created_at as stagedAt',
      'change_set.applied_at as createdAt',
    ])
    .$narrowType<{ createdAt: Date }>()
    .orderBy('change_set.applied_at', 'desc')
    .orderBy('change_set_item.id', 'desc')
    .limit(limit);
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(change_set.applied_at, change_set_item.id) < (${after.createdAt}, ${after.id}::uuid)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ stagedById, stagedByName, appliedById, appliedByName, ...row }) => ({
    ...row,
    stagedBy: { id: stagedById, name: stagedByName },
    appliedBy: { id: appliedById, name: appliedByName },
  }));
}
