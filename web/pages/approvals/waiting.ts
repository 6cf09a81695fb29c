import type { Plane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

type Listed = Answers['approvals']['list'];

/** Asked once for the number in the navigation and for Home. */
export const pendingApprovals = (trpc: Plane['trpc']) =>
  trpc.approvals.list.queryOptions({ query: { state: 'pending', limit: 100 } });

/** Those that this person may decide: none that is theirs in part, unless nobody else could. */
export function waitingForMe({ items }: Listed): Listed['items'] {
  return items.filter(({ waitsForYou }) => waitsForYou === true);
}
