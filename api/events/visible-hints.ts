import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { hints, isHintKind } from '../../domain/hints.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

/** Whether the reader could fetch what a hint is about: only then is it told. A kind that is not known is told nobody. */
export function seesHint(
  caller: Pick<OrganizationCaller, 'role' | 'seesProject' | 'isLimitedToProjects' | 'userId'>,
  { kind, id, projectId }: Pick<HeardHint, 'kind' | 'id' | 'projectId'>,
): boolean {
  if (!isHintKind(kind)) return false;
  const { role, projectTokens, own } = hints[kind];
  if (own === true && id !== caller.userId) return false;
  if (!mayActAs(caller.role, role)) return false;
  return projectId === undefined ? projectTokens || !caller.isLimitedToProjects : caller.seesProject(projectId);
}
