import { type Kysely, sql } from 'kysely';
import type { BuildTime } from '../../../domain/variables/build-time.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { EnvironmentRef } from '../environment-ref.ts';

/** One change of a variable that was applied. */
export interface AppliedVariable {
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
