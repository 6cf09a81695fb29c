/**
 * The actors there are. An actor's id is `<kind>/<id of its row>`; its row lives in `table`, which has the columns
 * `id`, `organization_id`, `state`, `revision`, `blocker`, `message`, `created_at`, `finished_at` and `archived_at`. A row
 * whose `finished_at` is set is final: nothing starts its actor again. `hint` is what the change feed calls it.
 */
export const actorKinds = {
  deletion: { workflow: 'deletion', table: 'deletion', hint: 'deletion' },
  cluster: { workflow: 'cluster', table: 'cluster', hint: 'cluster' },
  'agent-update': { workflow: 'agentUpdate', table: 'agent_update', hint: 'agent_update' },
} as const;

export type ActorKind = keyof typeof actorKinds;
export type ActorId = `${ActorKind}/${string}`;

export function actorId(kind: ActorKind, rowId: string): ActorId {
  return `${kind}/${rowId}`;
}

export function parseActorId(id: string): { kind: ActorKind; rowId: string } | undefined {
  const [kind, rowId, ...rest] = id.split('/');
  if (kind === undefined || rowId === undefined || rowId === '' || rest.length > 0) return undefined;
  return kind in actorKinds ? { kind: kind as ActorKind, rowId } : undefined;
}
