import type { Effect } from '../../db/engine/effect.ts';
import { isMember } from '../../db/members/members.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import { theTeam } from '../teams/team.ts';

interface Wanted {
  ownerId?: string | undefined;
  teamId?: string | undefined;
}

/** The owner that a request names: a member, or a team; otherwise the person who answers for the request. */
export async function ownerOf(
  effect: Effect,
  caller: OrganizationCaller,
  { ownerId, teamId }: Wanted,
): Promise<{ ownerId?: string; teamId?: string }> {
  if (teamId !== undefined) return { teamId: (await caller.see(theTeam, teamId, effect.kysely)).id };
  const id = ownerId ?? caller.answerableId;
  // Tokens of CI jobs have no person behind them.
  if (id === undefined) return {};
  if (await isMember(effect, caller.organization.id, id)) return { ownerId: id };
  const message = 'is not a member of the organization; invite them first';
  throw invalidFields([{ location: 'body.ownerId', message, value: id }]);
}
