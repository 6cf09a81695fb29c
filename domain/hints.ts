/**
 * Every kind of change that the change feed tells people of. Who may see it is in api/events/visible-hints.ts, what the
 * console asks for again in web/live/affected.ts; neither compiles without a new kind.
 */
export const hintKinds = [
  'organization',
  'deletion',
  'team',
  'member',
  'invitation',
  'api_token',
  'trusted_issuer',
  'cluster',
  'cluster_event',
  'agent_update',
  'cluster_command',
  'workload',
] as const;

export type HintKind = (typeof hintKinds)[number];

/** Kinds that never leave the process: they close streams and wake agents. */
export type InnerHintKind = 'credential.revoked' | 'credential.changed' | 'credential.organization' | 'agent.work';

/** What is read from the feed may be of another version, whose kinds are not known here. */
export function isHintKind(kind: string): kind is HintKind {
  return hintKinds.some((known) => known === kind);
}
