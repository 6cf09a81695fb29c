import { foreignKeys } from './foreign-keys.ts';
import type { Tables } from './tables.ts';

/** A table whose rows belong to an organization: by the entities, each that has `organization_id`. */
export type TenantTable = {
  [Table in keyof Tables]: 'organization_id' extends keyof Tables[Table] ? Table : never;
}[keyof Tables];

type Reference = (typeof foreignKeys)[number];
type Referring = Extract<Reference, { columns: readonly ['organization_id', ...string[]] }>['table'];

/** Those without a foreign key that includes the organization, and why. A table that is missing here fails the types. */
const withoutReference: Readonly<Record<Exclude<TenantTable, Referring>, string>> = {
  deletion: 'tells of the organization after its purge',
  audit_record: 'the account of the deletion outlives the organization',
  outbox: 'the last messages to actors outlive it',
  history_archive: 'the history of the deletion outlives it',
  change_feed: 'lives for a day, and is written too often to be checked',
};

/** Every one of them. */
export const tenantTables: readonly TenantTable[] = [
  ...new Set([...foreignKeys.flatMap((key) => (isReferring(key) ? [key.table] : [])), ...listed()]),
];

function isReferring(key: Reference): key is Extract<Reference, { table: Referring }> {
  return key.columns[0] === 'organization_id';
}

function listed(): TenantTable[] {
  return Object.keys(withoutReference) as Exclude<TenantTable, Referring>[];
}
