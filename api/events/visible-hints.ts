import type { Hint } from '../../db/engine/feed/feed.ts';
import { mayActAs, type Role } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

interface Visibility {
  role: Role;
  /** Whether a token that is limited to chosen projects may see it although it belongs to none of them. */
  projectTokens: boolean;
}

/** Who may see what belongs to no project. A kind that is not listed is seen by everybody but limited tokens. */
const kinds: Readonly<Record<string, Visibility>> = {
  organization: { role: 'viewer', projectTokens: true },
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

/** Whether the reader could fetch what a hint is about: only then is it told. */
export function seesHint(caller: OrganizationCaller, { kind, projectId }: Pick<Hint, 'kind' | 'projectId'>): boolean {
  if (projectId !== undefined) return caller.seesProject(projectId);
  const { role, projectTokens } = kinds[kind] ?? { role: 'viewer', projectTokens: false };
  return mayActAs(caller.role, role) && (projectTokens || !caller.isLimitedToProjects);
}
