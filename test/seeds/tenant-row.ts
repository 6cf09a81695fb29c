import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';
import { foreignKeys } from '../../db/postgres/foreign-keys.ts';

type Row = Readonly<Record<string, unknown>>;

interface Column {
  table: string;
  name: string;
  type: string;
  /** The first value that its check allows. */
  first: string | null;
}

/** The columns of all tables that a row must say; the same in every database of a process. */
let needed: Promise<Column[]> | undefined;

/**
 * Inserts a row of an organization into any table, made of what the database says of its columns, so that a new table
 * needs no sample of its own. References lead to rows that the organization has already, or are made.
 */
export async function tenantRow(
  database: Database,
  table: string,
  organizationId: string,
  given: Row = {},
): Promise<void> {
  needed ??= neededColumns(database);
  const values: Record<string, unknown> = {
    organization_id: organizationId,
    ...(await references(database, table, organizationId)),
    ...given,
  };
  for (const column of await needed) {
    if (column.table === table) values[column.name] ??= sample(column);
  }
  const names = Object.keys(values);
  await sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(names.map((name) => values[name]))})
  `.execute(database.kysely);
}

async function references(database: Database, table: string, organizationId: string): Promise<Row> {
  const found: Record<string, unknown> = {};
  for (const { columns, references, referenced } of foreignKeys.filter((key) => key.table === table)) {
    const further = columns.filter((column) => column !== 'organization_id');
    if (further.length === 0) continue;
    const row = await someRow(database, references, organizationId);
    if (row === undefined) throw new Error(`The row of ${references} that ${table} refers to is not there.`);
    for (const column of further) found[column] = row[referenced[columns.indexOf(column)] ?? ''];
  }
  return found;
}

async function someRow(database: Database, table: string, organizationId: string): Promise<Row | undefined> {
  const found = async () => {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where organization_id = ${organizationId} limit 1
    `.execute(database.kysely);
    return rows[0];
  };
  const row = await found();
  if (row !== undefined) return row;
  await tenantRow(database, table, organizationId);
  return await found();
}

async function neededColumns({ kysely }: Database): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select tables.relname as table, columns.attname as name, types.typname as type, (
      select substring(pg_get_constraintdef(oid) from '''([^'']*)''::') from pg_constraint
      where contype = 'c' and conrelid = tables.oid and conkey = array[columns.attnum] limit 1
    ) as first
    from pg_attribute columns
    join pg_class tables on tables.oid = columns.attrelid and tables.relkind in ('r', 'p')
    join pg_type types on types.oid = columns.atttypid
    where tables.relnamespace = 'public'::regnamespace and columns.attnum > 0 and not columns.attisdropped
      and columns.attnotnull and not columns.atthasdef and columns.attidentity = ''
  `.execute(kysely);
  return rows;
}

function sample({ table, name, type, first }: Column): unknown {
  if (first !== null) return first;
  switch (type) {
    case 'uuid':
      return uuid();
    case '_text':
      return [];
    case 'text':
    case 'varchar':
      return `sample-${uuid()}`;
    case 'int2':
    case 'int4':
    case 'int8':
      return 0;
    case 'bool':
      return false;
    case 'timestamptz':
      return new Date(Date.now() + 86_400_000);
    case 'date':
      return '2026-11-23';
    case 'json':
    case 'jsonb':
      return '{}';
    case 'bytea':
      return Buffer.from(uuid());
    default:
      throw new Error(`No sample is known of the column ${table}.${name}, which is of the type ${type}.`);
  }
}
