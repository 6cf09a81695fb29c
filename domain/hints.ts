import type { Role } from './roles.ts';

interface Visibility {
  /** The least role that may read the thing itself. */
  role: Role;
  /** Whether a token that is limited to chosen projects may see it although it belongs to none of them. */
  projectTokens: boolean;
}

/**
 * Every kind of change that the change feed tells people of, and who is told. The console's side, which queries it fetches
 * again, is in web/live/affected.ts and does not compile without a new kind.
 */
export const hints = {
  organization: { role: 'viewer', projectTokens: true },
  deletion: { role: 'viewer', projectTokens: false },
  team: { role: 'viewer', projectTokens: true },
  member: { role: 'viewer', projectTokens: false },
  invitation: { role: 'admin', projectTokens: false },
  api_token: { role: 'admin', projectTokens: false },
  trusted_issuer: { role: 'admin', projectTokens: false },
  cluster: { role: 'viewer', projectTokens: true },
  cluster_event: { role: 'viewer', projectTokens: false },
  agent_update: { role: 'viewer', projectTokens: false },
  cluster_command: { role: 'admin', projectTokens: false },
  workload: { role: 'viewer', projectTokens: false },
} as const satisfies Record<string, Visibility>;

export type HintKind = keyof typeof hints;

/** Kinds that never leave the process: they close streams and wake agents. */
export type InnerHintKind = 'credential.revoked' | 'credential.changed' | 'credential.organization' | 'agent.work';

/** Hints in the feed may come from another version, with kinds not known here. */
export function isHintKind(kind: string): kind is HintKind {
  return Object.hasOwn(hints, kind);
}
