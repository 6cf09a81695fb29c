/**
 * Every foreign key, in the database's own names. A reference between tables of an organization includes
 * `organization_id`, so that no row can point into another tenant. Entities hold plain ids: the schema generator gets
 * the constraints from here (see db/migrations/schema-generator.ts).
 */
export interface ForeignKey {
  table: string;
  columns: readonly string[];
  references: string;
  referenced: readonly string[];
  /** Effect on this row of deleting the referenced one; without it, that deletion is refused. */
  onDelete?: 'cascade';
}

export const foreignKeys = [
  { table: 'organization', columns: ['deletion_id'], references: 'deletion', referenced: ['id'] },
  { table: 'membership', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  { table: 'membership', columns: ['user_id'], references: 'app_user', referenced: ['id'] },
  { table: 'session', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'identity', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'invitation', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  { table: 'sign_in_link', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  {
    table: 'sign_in_attempt',
    columns: ['sign_in_link_id'],
    references: 'sign_in_link',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'sign_in_attempt',
    columns: ['invitation_id'],
    references: 'invitation',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  { table: 'trusted_issuer', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'provider_passkey',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'provider_recovery_code',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  { table: 'api_token', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'api_token_project',
    columns: ['organization_id', 'api_token_id'],
    references: 'api_token',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
  { table: 'team', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'team_member',
    columns: ['organization_id', 'team_id'],
    references: 'team',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
  {
    table: 'team_member',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
  { table: 'cluster', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'cluster_agent',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'enrollment_token',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'cluster_slice',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'ingress_host',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'observed_slice',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'cluster_command',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'cluster_event',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'agent_update',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'command_output',
    columns: ['organization_id', 'command_id'],
    references: 'cluster_command',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
  { table: 'data_key', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
] as const satisfies readonly ForeignKey[];

export function foreignKeyName(key: ForeignKey): string {
  return `${key.table}_${key.columns.join('_')}_foreign`;
}
