import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { hints, isHintKind } from '../../domain/hints.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

/** Whether the reader could fetch what a hint is about: only then is it told. A kind that is not known is told nobody. */
export function seesHint(
  caller: Pick<OrganizationCaller, 'role' | 'seesProject' | 'isLimitedToProjects'>,
  { kind, projectId }: Pick<HeardHint, 'kind' | 'projectId'>,
): boolean {
  if (!isHintKind(kind)) return false;
  const { role, projectTokens } = hints[kind];
  if (!mayActAs(caller.role, role)) return false;
  return projectId === undefined ? projectTokens || !caller.isLimitedToProjects : caller.seesProject(projectId);
}
