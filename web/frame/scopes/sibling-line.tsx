import type { ReactNode } from 'react';
import type { Sibling } from './scope.ts';

/** One of the same kind, in a menu. */
export function siblingLine({ lead, label, detail }: Sibling): ReactNode {
  return (
    <span className="flex items-center gap-2">
      {lead}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {detail !== undefined && <span className="text-faint text-xs">{detail}</span>}
    </span>
  );
}
