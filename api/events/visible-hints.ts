import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { type HintKind, isHintKind } from '../../domain/hints.ts';
import { mayActAs, type Role } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

interface Visibility {
  role: Role;
  /** Whether a token that is limited to chosen projects may see it although it belongs to none of them. */
  projectTokens: boolean;
}

/** Who may see what belongs to no project. */
const kinds: Readonly<Record<HintKind, Visibility>> = {
  organization: { role: 'viewer', projectTokens: true },
  deletion: { role: 'viewer', projectTokens: false },
  team: { role: 'viewer', projectTokens: true },
  member: { role: 'viewer', projectTokens: false },
  invitation: { role: 'admin', projectTokens: false },
  api_token: { role: 'admin', projectTokens: false },
  cluster: { role: 'viewer', projectTokens: true },
  cluster_event: { role: 'viewer', projectTokens: false },
  agent_update: { role: 'viewer', projectTokens: false },
  cluster_command: { role: 'admin', projectTokens: false },
  workload: { role: 'viewer', projectTokens: false },
  trusted_issuer: { role: 'admin', projectTokens: false },
};

/** Whether the reader could fetch what a hint is about: only then is it told. A kind that is not known is told nobody. */
export function seesHint(
  caller: Pick<OrganizationCaller, 'role' | 'seesProject' | 'isLimitedToProjects'>,
  { kind, projectId }: Pick<HeardHint, 'kind' | 'projectId'>,
): boolean {
  if (!isHintKind(kind)) return false;
  if (projectId !== undefined) return caller.seesProject(projectId);
  const { role, projectTokens } = kinds[kind];
  return mayActAs(caller.role, role) && (projectTokens || !caller.isLimitedToProjects);
}
