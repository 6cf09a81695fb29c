import type { QueryKey } from '@tanstack/react-query';
import { type HintKind, isHintKind } from '../../domain/hints.ts';
import type { Plane } from '../control-plane/plane.ts';
import type { Hint } from './event-stream.ts';

type Operations = Plane['trpc'];

/** For each kind of thing that the event stream names: the operations whose answers may have changed. */
const affectedBy: Record<HintKind, (trpc: Operations) => QueryKey[]> = {
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

/** Unknown kinds come from a newer control plane and concern nothing that this console shows. */
export function affectedKeys(trpc: Operations, hints: readonly Hint[]): QueryKey[] {
  // Every change leaves an audit record.
  const keys = new Map<string, QueryKey>([['audit log', trpc.auditLog.pathKey()]]);
  for (const kind of new Set(hints.map((hint) => hint.kind))) {
    if (!isHintKind(kind)) continue;
    for (const key of affectedBy[kind](trpc)) keys.set(JSON.stringify(key), key);
  }
  return [...keys.values()];
}

/** Whether a hint may have changed the person's organizations or roles. */
export function touchesSession(hints: readonly Hint[]): boolean {
  return hints.some(({ kind }) => kind === 'member' || kind === 'organization' || kind === 'deletion');
}
