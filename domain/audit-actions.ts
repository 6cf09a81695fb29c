/**
 * Every action that the audit log of an organization records, as `<subject>.<what was done>`. The console's words for
 * them (web/pages/audit-log/deeds.ts) do not compile without a new one.
 */
export const auditActions = [
  'organization.created',
  'organization.updated',
  'organization.deleted_retention_set',
  'organization.join_token_ttl_set',
  'organization.deleted',
  'organization.restored',
  'organization.purge_requested',
  'organization.purged',
  'organization.deletion_failed',
  'member.added',
  'member.role_changed',
  'member.left',
  'member.removed',
  'invitation.created',
  'invitation.resent',
  'invitation.revoked',
  'invitation.accepted',
  'team.created',
  'team.renamed',
  'team.members_set',
  'team.deleted',
  'api_token.created',
  'api_token.exchanged',
  'api_token.revoked',
  'trusted_issuer.created',
  'trusted_issuer.changed',
  'trusted_issuer.deleted',
  'cluster.created',
  'cluster.updated',
  'cluster.enrollment_token_created',
  'cluster.agent_enrolled',
  'cluster.agent_revoked',
  'cluster.agent_update_requested',
  'cluster.agent_update_cancelled',
  'cluster.exec',
  'cluster.restart',
  'cluster.command_cancelled',
  'cluster.deletion_requested',
  'cluster.deleted',
  'workload.applied',
  'workload.removed',
] as const;

/** Actions that concern the installation alone: no organization's log has them. */
export type InstallationAction =
  | 'session.created'
  | 'session.ended'
  | 'sign_in.refused'
  | 'sign_in_link.created'
  | 'sign_in_link.used'
  | 'identity.bound'
  | 'identity.removed'
  | 'user.created'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.email_verified'
  | 'account.created'
  | 'account.password_changed'
  | 'account.reset'
  | 'account.recovery_code_used'
  | 'account.recovery_codes_renewed'
  | 'account.second_factor_added'
  | 'account.second_factor_removed';

export type OrganizationAction = (typeof auditActions)[number];
export type AuditAction = OrganizationAction | InstallationAction;

/** Names that are no longer written. Records that have them stay, so their words do, too. */
export type RetiredAction = 'deletion.failed' | 'cluster.failed' | 'agent-update.failed';
