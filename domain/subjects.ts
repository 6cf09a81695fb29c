import type { Role } from './roles.ts';

/** Who is told that a thing changed. */
export interface Visibility {
  /** The least role that may read the thing itself. */
  role: Role;
  /** Whether a token that is limited to chosen projects may see it although it belongs to none of them. */
  projectTokens: boolean;
  /** Only the person whose id the hint has, or every admin and owner where it has `everyAdmin`. */
  own?: true;
  /** Changes with every event: a stream tells of one such thing at most once a second. */
  paced?: true;
}

/** In place of a person's id. */
export const everyAdmin = 'admins';

interface Subject {
  /** Absent: the change feed does not tell of it. */
  told?: Visibility;
  /** Deeds that the audit log of an organization records, as `<kind>.<action>`. */
  actions?: readonly string[];
  /** Actions that are no longer recorded. Records that have them stay, so their words do, too. */
  retired?: readonly string[];
}

const everyone = { role: 'viewer', projectTokens: true } as const;
/** Their hints name their project: a token that is limited to others does not hear of them. */
const ofProjects = { role: 'viewer', projectTokens: false } as const;
const viewers = { role: 'viewer', projectTokens: false } as const;
const oneself = { role: 'viewer', projectTokens: false, own: true } as const;
const admins = { role: 'admin', projectTokens: false } as const;

/** How a deletion with a clock may go on. */
const ends = ['restored', 'purge_requested', 'purged', 'deletion_failed'] as const;

/**
 * Every kind of thing in an organization: who is told of its changes, and which deeds the audit log records. The kinds of
 * hints (hints.ts) and the actions (audit-actions.ts) derive from this table; the console's part of a kind is in
 * web/pages/<subject>/ and does not compile without a new one.
 */
export const subjects = {
  organization: {
    told: everyone,
    actions: [
      'created',
      'updated',
      'deleted_retention_set',
      'approval_expiry_set',
      'join_token_ttl_set',
      'deleted',
      'restored',
      'purge_requested',
      'purged',
      'deletion_failed',
    ],
  },
  member: { told: viewers, actions: ['added', 'role_changed', 'left', 'removed'] },
  invitation: { told: admins, actions: ['created', 'resent', 'revoked', 'accepted'] },
  team: { told: everyone, actions: ['created', 'renamed', 'members_set', 'deleted'] },
  api_token: { told: admins, actions: ['created', 'exchanged', 'revoked'] },
  trusted_issuer: { told: admins, actions: ['created', 'changed', 'deleted'] },
  cluster: {
    told: everyone,
    actions: [
      'created',
      'updated',
      'enrollment_token_created',
      'agent_enrolled',
      'agent_revoked',
      'agent_update_requested',
      'agent_update_cancelled',
      'exec',
      'restart',
      'command_cancelled',
      'deletion_requested',
      'deleted',
    ],
    retired: ['failed'],
  },
  cluster_event: { told: viewers },
  cluster_command: { told: admins },
  workload: { told: viewers, actions: ['applied', 'removed'] },
  agent_update: { told: viewers },
  // Records of older versions spell it with a dash.
  'agent-update': { retired: ['failed'] },
  project: { told: ofProjects, actions: ['created', 'updated', 'deleted', ...ends] },
  environment: { told: ofProjects, actions: ['created', 'updated', 'deleted', ...ends] },
  service: {
    told: ofProjects,
    actions: [
      'created',
      'updated',
      'deleted',
      'process_restarted',
      'cron_run',
      'suspended',
      'resumed',
      'source_uploaded',
      ...ends,
    ],
  },
  volume: { actions: ['deleted', ...ends] },
  change_set: {
    told: ofProjects,
    actions: ['staged', 'unstaged', 'discarded', 'applied', 'retried', 'reverted', 'cancelled'],
  },
  approval: { told: ofProjects, actions: ['requested', 'decided', 'glass_broken'] },
  guard: { told: admins, actions: ['loosened', 'undone'] },
  registry_credential: { told: admins, actions: ['created', 'updated', 'deleted', 'checked'] },
  object_store: {
    told: { role: 'deployer', projectTokens: true },
    actions: ['created', 'updated', 'deleted', 'verified'],
  },
  volume_backup: { told: { ...ofProjects, paced: true }, actions: ['requested', 'cancelled', 'deleted', 'downloaded'] },
  volume_restore: { told: { ...ofProjects, paced: true }, actions: ['requested', 'cancelled'] },
  git_connection: {
    told: { ...viewers, paced: true },
    actions: ['created', 'updated', 'deleted', 'checked', 'webhook_secret_replaced'],
  },
  image: { actions: ['pushed', 'deleted'] },
  deployment: { told: ofProjects, actions: ['requested', 'cancelled'] },
  build: { told: ofProjects, actions: ['requested', 'approved', 'cancelled'] },
  notification: { told: { ...oneself, paced: true } },
  notification_channel: {
    told: { ...viewers, paced: true },
    actions: ['created', 'updated', 'deleted', 'tested', 'retried'],
  },
  deletion: { told: viewers, retired: ['failed'] },
  workflow: { actions: ['exported'] },
} as const satisfies Record<string, Subject>;

export type Subjects = typeof subjects;
