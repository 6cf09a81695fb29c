import type { QueryKey } from '@tanstack/react-query';
import type { Plane } from '../control-plane/plane.ts';
import type { Hint } from './event-stream.ts';

type Operations = Plane['trpc'];

/** For each kind of thing that the event stream names: the operations whose answers may have changed. */
const affectedBy: Record<string, (trpc: Operations) => QueryKey[]> = {
  cluster: (trpc) => [trpc.clusters.pathKey(), trpc.workloads.pathKey(), trpc.workflows.pathKey()],
  cluster_event: (trpc) => [trpc.clusters.events.pathKey(), trpc.clusters.organizationEvents.pathKey()],
  agent_update: (trpc) => [trpc.clusters.pathKey(), trpc.workflows.pathKey()],
  cluster_command: (trpc) => [trpc.clusterCommands.pathKey()],
  workload: (trpc) => [trpc.workloads.pathKey(), trpc.clusters.pathKey(), trpc.workflows.pathKey()],
  team: (trpc) => [trpc.teams.pathKey(), trpc.members.pathKey()],
  member: (trpc) => [trpc.members.pathKey(), trpc.teams.pathKey(), trpc.invitations.pathKey()],
  invitation: (trpc) => [trpc.invitations.pathKey()],
  api_token: (trpc) => [trpc.apiTokens.pathKey()],
  trusted_issuer: (trpc) => [trpc.trustedIssuers.pathKey(), trpc.apiTokens.pathKey()],
  organization: (trpc) => [trpc.organizations.pathKey()],
  deletion: (trpc) => [trpc.organizations.pathKey(), trpc.workflows.pathKey()],
};

/** Everything is asked for again if a kind is not known here: a newer control plane may tell of things that this console does not show. */
export function affectedKeys(trpc: Operations, hints: readonly Hint[]): QueryKey[] | 'all' {
  // Whatever changes, somebody changed it.
  const keys = new Map<string, QueryKey>([['audit log', trpc.auditLog.pathKey()]]);
  for (const kind of new Set(hints.map((hint) => hint.kind))) {
    const affected = Object.hasOwn(affectedBy, kind) ? affectedBy[kind] : undefined;
    if (affected === undefined) return 'all';
    for (const key of affected(trpc)) keys.set(JSON.stringify(key), key);
  }
  return [...keys.values()];
}

/** Whether it may have changed who one is: one's organizations and roles. */
export function touchesSession(hints: readonly Hint[]): boolean {
  return hints.some(({ kind }) => kind === 'member' || kind === 'organization' || kind === 'deletion');
}
