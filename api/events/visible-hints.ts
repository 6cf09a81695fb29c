import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { hints, isHintKind } from '../../domain/hints.ts';
import { mayActAs } from '../../domain/roles.ts';
import { everyAdmin } from '../../domain/subjects.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

/** Whether the reader could fetch what a hint is about: only then is it told. A kind that is not known is told nobody. */
export function seesHint(
  caller: Pick<OrganizationCaller, 'role' | 'seesProject' | 'isLimitedToProjects' | 'userId'>,
  { kind, id, projectId }: Pick<HeardHint, 'kind' | 'id' | 'projectId'>,
): boolean {
  if (!isHintKind(kind)) return false;
  const { role, projectTokens, own } = hints[kind];
  if (own === true && !concerns(caller, id)) return false;
  if (!mayActAs(caller.role, role)) return false;
  return projectId === undefined ? projectTokens || !caller.isLimitedToProjects : caller.seesProject(projectId);
}

function concerns({ role, userId }: Pick<OrganizationCaller, 'role' | 'userId'>, id: string): boolean {
  return userId !== undefined && (id === userId || (id === everyAdmin && mayActAs(role, 'admin')));
}

/** The hint as its reader is told it: of one's own things one's own id. */
export function toldHint<Hint extends Pick<HeardHint, 'kind' | 'id'>>(
  { userId }: Pick<OrganizationCaller, 'userId'>,
  hint: Hint,
): Hint {
  return isHintKind(hint.kind) && hints[hint.kind].own === true && userId !== undefined
    ? { ...hint, id: userId }
    : hint;
}
