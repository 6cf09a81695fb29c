import type { OrganizationAction, RetiredAction } from '../../../domain/audit-actions.ts';
import { periodText } from '../../components/time.tsx';
import type { Answers } from '../../control-plane/session.ts';

export type AuditRecord = Answers['auditLog']['list']['items'][number];

export interface Deed {
  /** Label in the filter, below its subject: "Renamed", below "Teams". */
  label: string;
  /** The predicate after the actor's name: "renamed the team Core to Platform". */
  done: (record: About) => string;
}

interface About {
  /** Name of the subject. */
  name: string;
  details: Record<string, unknown>;
  /** Whether actor and subject are the same person. */
  itself: boolean;
}

export function aboutOf({ subject, details = {}, actor }: AuditRecord): About {
  return { name: subject.name ?? subject.id, details, itself: actor.id === subject.id };
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** `before` and the text, if there is one. */
function after(before: string, value: unknown): string {
  const text = said(value);
  return text === '' ? '' : `${before}${text}`;
}

/** As in " from Core to Platform". */
function fromTo({ from, to }: About['details'], unitMillis?: number): string {
  const text = (value: unknown) =>
    typeof value === 'number' && unitMillis !== undefined ? periodText(value * unitMillis) : value;
  return after(' from ', text(from)) + after(' to ', text(to));
}

/** The change of one field, if it is recorded. */
function change(details: About['details'], field: string): { from: unknown; to: unknown } | undefined {
  const found = details[field];
  return typeof found === 'object' && found !== null && 'from' in found && 'to' in found
    ? { from: found.from, to: found.to }
    : undefined;
}

function list(parts: readonly (string | false | undefined)[]): string {
  const said = parts.filter((part) => typeof part === 'string');
  const last = said.pop();
  return said.length === 0 ? (last ?? '') : `${said.join(', ')} and ${last}`;
}

function count(value: unknown, one: string): string {
  const number = Array.isArray(value) ? value.length : Number(value);
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

function organizationChanges({ name, details }: About): string {
  const renamed = change(details, 'name');
  const mfa = change(details, 'requireMfa');
  const cluster = change(details, 'defaultClusterId');
  const builds = change(details, 'buildRegistryCredentialId') ?? change(details, 'buildRepositoryPrefix');
  return (
    list([
      renamed && `renamed the organization from ${said(renamed.from)} to ${said(renamed.to)}`,
      mfa && (mfa.to === true ? 'required a second factor of everybody' : 'no longer required a second factor'),
      cluster && (cluster.to === null ? 'removed the default cluster' : 'chose the default cluster'),
      builds && 'changed where builds are kept',
    ]) || `changed the organization ${name}`
  );
}

function clusterChanges({ name, details }: About): string {
  const renamed = change(details, 'name');
  const region = change(details, 'region');
  const schedulable = change(details, 'schedulable');
  return (
    list([
      renamed && `renamed the cluster ${said(renamed.from)} to ${said(renamed.to)}`,
      region && `set the region of the cluster ${name} to ${said(region.to) || 'none'}`,
      schedulable &&
        (schedulable.to === true
          ? `let the cluster ${name} take new workloads`
          : `let the cluster ${name} take no new workloads`),
    ]) || `changed the cluster ${name}`
  );
}

function teamMembers({ name, details: { added, removed } }: About): string {
  const some = (value: unknown) => Array.isArray(value) && value.length > 0;
  const changes = list([
    some(added) && `added ${count(added, 'member')}`,
    some(removed) && `removed ${count(removed, 'member')}`,
  ]);
  return changes === '' ? `did not change the members of the team ${name}` : `${changes} in the team ${name}`;
}

function revokedTokens({ revokedTokens: number }: About['details']): string {
  return Number(number) > 0 ? ` and revoked ${count(number, 'token')} that it had issued` : '';
}

const why = ({ message }: About['details']) => after(': ', message);

export const deeds: Readonly<Record<OrganizationAction | RetiredAction, Deed>> = {
  'organization.created': { label: 'Created', done: ({ name }) => `created the organization ${name}` },
  'organization.updated': { label: 'Changed', done: organizationChanges },
  'organization.deleted_retention_set': {
    label: 'Retention set',
    done: ({ details }) => `set the retention of deleted data${fromTo(details, 3_600_000)}`,
  },
  'organization.join_token_ttl_set': {
    label: 'Join command lifetime set',
    done: ({ details }) => `set the join command lifetime${fromTo(details, 1_000)}`,
  },
  'organization.deleted': { label: 'Deleted', done: ({ name }) => `deleted the organization ${name}` },
  'organization.restored': { label: 'Restored', done: ({ name }) => `restored the organization ${name}` },
  'organization.purge_requested': {
    label: 'Purge requested',
    done: ({ name }) => `requested the purge of the organization ${name}`,
  },
  'organization.purged': { label: 'Purged', done: ({ name }) => `purged the organization ${name}` },
  'organization.deletion_failed': {
    label: 'Purge failed',
    done: ({ name, details }) => `could not purge the organization ${name}${why(details)}`,
  },
  'deletion.failed': { label: 'Failed', done: ({ details }) => `marked a deletion as failed${why(details)}` },

  'member.added': {
    label: 'Added',
    done: ({ name, details, itself }) => `${itself ? 'joined' : `added ${name}`}${after(' as ', details.role)}`,
  },
  'member.role_changed': {
    label: 'Role changed',
    done: ({ name, details, itself }) =>
      `changed ${itself ? 'their own role' : `the role of ${name}`}${fromTo(details)}`,
  },
  'member.left': { label: 'Left', done: () => 'left the organization' },
  'member.removed': { label: 'Removed', done: ({ name }) => `removed ${name} from the organization` },

  'invitation.created': {
    label: 'Created',
    done: ({ name, details }) => `invited ${name}${after(' as ', details.role)}`,
  },
  'invitation.resent': {
    label: 'Link renewed',
    done: ({ name }) => `created a new link for the invitation of ${name}`,
  },
  'invitation.revoked': { label: 'Revoked', done: ({ name }) => `revoked the invitation of ${name}` },
  'invitation.accepted': { label: 'Accepted', done: ({ name }) => `accepted the invitation for ${name}` },

  'team.created': { label: 'Created', done: ({ name }) => `created the team ${name}` },
  'team.renamed': {
    label: 'Renamed',
    done: ({ name, details }) => `renamed the team ${said(details.from) || name}${after(' to ', details.to)}`,
  },
  'team.members_set': { label: 'Members changed', done: teamMembers },
  'team.deleted': { label: 'Deleted', done: ({ name }) => `deleted the team ${name}` },

  'api_token.created': {
    label: 'Created',
    done: ({ name, details }) => `created the API token ${name}${after(' with the role ', details.role)}`,
  },
  'api_token.exchanged': {
    label: 'Issued to a CI job',
    done: ({ name, details }) => `received the API token ${name}${after(' with the role ', details.role)}`,
  },
  'api_token.revoked': { label: 'Revoked', done: ({ name }) => `revoked the API token ${name}` },

  'trusted_issuer.created': {
    label: 'Created',
    done: ({ name, details }) => `created the rule ${name} for CI jobs${after(' of ', details.issuer)}`,
  },
  'trusted_issuer.changed': {
    label: 'Changed',
    done: ({ name, details }) => `changed the rule ${name} for CI jobs${revokedTokens(details)}`,
  },
  'trusted_issuer.deleted': {
    label: 'Deleted',
    done: ({ name, details }) => `deleted the rule ${name} for CI jobs${revokedTokens(details)}`,
  },

  'cluster.created': { label: 'Created', done: ({ name }) => `created the cluster ${name}` },
  'cluster.updated': { label: 'Changed', done: clusterChanges },
  'cluster.enrollment_token_created': {
    label: 'Join command created',
    done: ({ name }) => `created a command that joins a machine to the cluster ${name}`,
  },
  'cluster.agent_enrolled': {
    label: 'Agent joined',
    done: ({ name, details }) =>
      `joined the cluster ${name}${after(' with the version ', details.version)}${details.replaced === true ? 'and replaced the previous agent' : ''}`,
  },
  'cluster.agent_revoked': { label: 'Agent revoked', done: ({ name }) => `revoked the agent of the cluster ${name}` },
  'cluster.agent_update_requested': {
    label: 'Agent update requested',
    done: ({ name, details }) =>
      `requested the ${details.kind === 'rollback' ? 'rollback' : 'update'} of the agent of the cluster ${name}${after(' to ', details.to)}`,
  },
  'cluster.agent_update_cancelled': {
    label: 'Agent update cancelled',
    done: ({ name }) => `cancelled the update of the agent of the cluster ${name}`,
  },
  'agent-update.failed': {
    label: 'Failed',
    done: ({ details }) => `marked the update of an agent as failed${why(details)}`,
  },
  'cluster.exec': {
    label: 'Program run',
    done: ({ name, details }) => `ran ${said(details.program) || 'a program'} in an instance on the cluster ${name}`,
  },
  'cluster.restart': {
    label: 'Workload restarted',
    done: ({ name, details }) =>
      `restarted ${said(details.workload) || 'a workload'}${after(', process ', details.process)}, on the cluster ${name}`,
  },
  'cluster.command_cancelled': {
    label: 'Command cancelled',
    done: ({ name }) => `cancelled a command on the cluster ${name}`,
  },
  'cluster.deletion_requested': {
    label: 'Deletion requested',
    done: ({ name }) => `requested the deletion of the cluster ${name}`,
  },
  'cluster.deleted': { label: 'Deleted', done: ({ name }) => `deleted the cluster ${name}` },
  'cluster.failed': {
    label: 'Failed',
    done: ({ name, details }) => `marked the cluster ${name} as failed${why(details)}`,
  },

  'workload.applied': {
    label: 'Applied',
    done: ({ name, details }) =>
      `applied the workload ${name}${after(' in the release ', details.release)}${after(' on the cluster ', details.cluster)}`,
  },
  'workload.removed': {
    label: 'Removed',
    done: ({ name, details }) => `removed the workload ${name}${after(' from the cluster ', details.cluster)}`,
  },
};

/** A log may hold actions of a newer control plane. */
export function deedFor(action: string): Deed | undefined {
  return Object.hasOwn(deeds, action) ? deeds[action as keyof typeof deeds] : undefined;
}

/** Kinds of things, in the order in which they are offered; the words before the dot of an action. */
export const subjects: readonly [kind: string, name: string][] = [
  ['organization', 'Organization'],
  ['member', 'Members'],
  ['invitation', 'Invitations'],
  ['team', 'Teams'],
  ['api_token', 'API tokens'],
  ['trusted_issuer', 'CI jobs'],
  ['cluster', 'Clusters'],
  ['workload', 'Workloads'],
  ['agent-update', 'Agent updates'],
  ['deletion', 'Deletions'],
];
