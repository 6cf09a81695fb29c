import { mayActAs } from '../../domain/roles.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

/** The kinds of workflows that the caller may read; others do not exist for it. */
export function readableKinds(caller: Pick<OrganizationCaller, 'role' | 'isLimitedToProjects'>): ActorKind[] {
  return actorKinds.filter((kind) => {
    const { role, projectTokens } = descriptors[kind].readBy;
    return mayActAs(caller.role, role) && (projectTokens || !caller.isLimitedToProjects);
  });
}
