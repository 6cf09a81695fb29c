import { type RawBuilder, sql } from 'kysely';
import type { ThingKind } from '../../../domain/deletions/kinds.ts';
import { actorKinds, descriptors } from '../../../workflows/descriptors.ts';
import type { Database } from '../../postgres/database.ts';
import { foreignKeys } from '../../postgres/foreign-keys.ts';
import { tenantTables } from '../../postgres/tenant-tables.ts';
import { purgeOrder } from '../purge.ts';
import { tableOfThing } from './deleted-things.ts';

/** Rows that go with a thing: those of one table, which refer to nothing that goes later. */
export interface Doomed {
  table: string;
  where: RawBuilder<unknown>;
}

/** Tables with the thing's id that outlive it: the account of its deletion, and what is swept after a while anyway. */
const kept: ReadonlySet<string> = new Set(['deletion', 'audit_record', 'change_feed', 'outbox', 'history_archive']);

/** The change sets that named a volume stay as they were. */
const keptOfVolumes: ReadonlySet<string> = new Set([...kept, 'change_set_item']);

interface Doom {
  kind: ThingKind;
  id: string;
  organizationId: string;
}

/**
 * All rows of a thing, in the order in which they can be deleted: those that have its id in a column named after it, those
 * that refer to one of these by a foreign key, and the messages and histories of their actors.
 */
export async function doomedRows(database: Database, { kind, id, organizationId }: Doom): Promise<Doomed[]> {
  const root = tableOfThing[kind];
  const column = `${root}_id`;
  const named = await tablesWith(database, column);
  const skipped = kind === 'volume' ? keptOfVolumes : kept;
  const conditions = new Map<string, RawBuilder<unknown> | undefined>();

  function conditionOf(table: string, path: readonly string[] = []): RawBuilder<unknown> | undefined {
    if (skipped.has(table) || path.includes(table)) return undefined;
    if (!conditions.has(table)) conditions.set(table, make(table, [...path, table]));
    return conditions.get(table);
  }

  function make(table: string, path: readonly string[]): RawBuilder<unknown> | undefined {
    if (table === root) return sql`${sql.ref(`${table}.id`)} = ${id}`;
    if (named.has(table)) return sql`${sql.ref(`${table}.${column}`)} = ${id}`;
    const reasons = foreignKeys.flatMap((key) => {
      if (key.table !== table || !isTenantTable(key.references)) return [];
      const above = conditionOf(key.references, path);
      if (above === undefined) return [];
      const joined = key.columns.map(
        (name, at) => sql`${sql.ref(`${key.references}.${key.referenced[at]}`)} = ${sql.ref(`${table}.${name}`)}`,
      );
      return [
        sql`exists (select from ${sql.table(key.references)} where ${sql.join(joined, sql` and `)} and ${above})`,
      ];
    });
    if (table === 'approval' && root === 'service') reasons.push(approvalsOfService(id));
    if (table === 'deployment_day' || table === 'deployment_durations') reasons.push(...countedOf(table, root, id));
    if (table === 'internal_port') reasons.push(...portsOf(root, id));
    return reasons.length === 0 ? undefined : sql`(${sql.join(reasons, sql` or `)})`;
  }

  return purgeOrder().flatMap((table) => {
    const condition = conditionOf(table);
    if (condition === undefined) return [];
    const where = sql`${sql.ref(`${table}.organization_id`)} = ${organizationId} and ${condition}`;
    return [...ofActors(table, where), { table, where }];
  });
}

/** The messages and histories of the actors whose rows go. */
function ofActors(table: string, where: RawBuilder<unknown>): Doomed[] {
  const kind = actorKinds.find((one) => descriptors[one].table === table);
  if (kind === undefined) return [];
  const ids = sql`select ${`${kind}/`} || ${sql.ref(`${table}.id`)} from ${sql.table(table)} where ${where}`;
  return ['outbox', 'history_archive'].map((of) => ({ table: of, where: sql`actor_id in (${ids})` }));
}

/** No foreign key leads from an approval to the deployment that it is about. */
function approvalsOfService(id: string): RawBuilder<unknown> {
  return sql`exists (select from deployment where deployment.organization_id = approval.organization_id
    and deployment.id = approval.deployment_id and deployment.service_id = ${id})`;
}

/** Statistics name environment and service in the text of their scope. */
function countedOf(table: string, root: string, id: string): RawBuilder<unknown>[] {
  return root === 'environment' || root === 'service' ? [sql`position(${id} in ${sql.ref(`${table}.scope`)}) > 0`] : [];
}

/** Ports that were kept for a workload which never came; those of one that was there go with it. */
function portsOf(root: string, id: string): RawBuilder<unknown>[] {
  if (root === 'volume') return [];
  const mine =
    root === 'project'
      ? sql`exists (select from environment where environment.organization_id = internal_port.organization_id
          and environment.project_id = ${id} and position(environment.id::text in internal_port.key) > 0)`
      : sql`position(${id} in internal_port.key) > 0`;
  return [
    sql`${mine} and not exists (select from cluster_slice slice where slice.organization_id = internal_port.organization_id
      and slice.cluster_id = internal_port.cluster_id and slice.key = internal_port.key)`,
  ];
}

async function tablesWith(database: Database, column: string): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = ${column}
  `.execute(database.kysely);
  return new Set(rows.map(({ name }) => name).filter(isTenantTable));
}

function isTenantTable(table: string): boolean {
  return tenantTables.some((one) => one === table);
}
