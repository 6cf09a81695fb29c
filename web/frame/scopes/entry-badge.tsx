import { Badge } from '../../components/status.tsx';
import type { Entry, Params } from './entry.ts';

/** More than that is many, and has no room. */
const mostShown = 99;

/** The number beside a page in a navigation; nothing where there is nothing to count. */
export function EntryBadge({ useBadge, params }: Required<Pick<Entry, 'useBadge'>> & { params: Params }) {
  const badge = useBadge(params);
  if (badge === undefined || badge.count === 0) return null;
  return (
    <Badge tone={badge.tone}>
      {badge.count > mostShown ? `${mostShown}+` : badge.count}
      <span className="sr-only"> {badge.label}</span>
    </Badge>
  );
}
