import { type ActorKind, actorKinds, type TableOf, tableOf } from '../../workflows/descriptors.ts';
import type { AllTables } from './all-tables.ts';
import type { ForeignKey } from './foreign-key.ts';
import { foreignKeys } from './foreign-keys.ts';

/** A table whose rows belong to an organization: by the entities, each that has `organization_id`. */
export type TenantTable = {
  [Table in keyof AllTables]: 'organization_id' extends keyof AllTables[Table] ? Table : never;
}[keyof AllTables];

/**
 * Tables of tenants that, beside those of actors, may be read and written without saying whose: those of the engine and
 * of agents. They are reached by an actor's id or an agent's credential, relayed, reconciled and swept across
 * organizations, and say `organization_id` where a person asks. A further table belongs here only if the same is true of it.
 */
const unguarded = [
  'audit_record',
  'change_feed',
  'cluster_agent',
  'cluster_command',
  'cluster_event',
  'cluster_slice',
  'command_output',
  'data_key',
  'deployment_event',
  'enrollment_token',
  'history_archive',
  'ingress_host',
  'internal_port',
  'log_reader',
  'log_relay',
  'observed_slice',
  'outbox',
] as const satisfies readonly TenantTable[];

/** Tables of reference data, which every statement reaches through the guard in tenant.ts. */
export type GuardedTable = Exclude<TenantTable, (typeof unguarded)[number] | TableOf<ActorKind>>;

/** Those without a foreign key that includes the organization, and why; actors' aside. A table that is missing here fails a test of the purge. */
const withoutReference = {
  audit_record: 'the account of the deletion outlives the organization',
  outbox: 'the last messages to actors outlive it',
  history_archive: 'the history of the deletion outlives it',
  log_relay: 'is emptied within seconds, and written too often to be checked',
  change_feed: 'lives for a day, and is written too often to be checked',
} as const satisfies Partial<Record<TenantTable, string>>;

/** By their descriptors. */
const ofActors: ReadonlySet<TenantTable> = new Set(actorKinds.map(tableOf));

/** Every table whose rows belong to an organization. */
export const tenantTables: readonly TenantTable[] = [
  ...new Set([...foreignKeys.flatMap((key) => (isReferring(key) ? [key.table] : [])), ...listed(), ...ofActors]),
];

export const guardedTables: readonly GuardedTable[] = tenantTables.filter(isGuarded);

function isGuarded(table: TenantTable): table is GuardedTable {
  return !unguarded.some((name) => name === table) && !ofActors.has(table);
}

function isReferring(key: ForeignKey): key is ForeignKey & { table: TenantTable } {
  return key.columns[0] === 'organization_id';
}

function listed(): TenantTable[] {
  return Object.keys(withoutReference) as (keyof typeof withoutReference)[];
}
