/** Things that a deletion concerns, of one kind. */
export interface Affected {
  /** As in "2 members lose the team". */
  what: string;
  names: readonly string[];
}

const namesShown = 5;

/** Names what a deletion takes with it. Shows nothing if it takes nothing. */
export function AffectedList({ affected }: { affected: readonly Affected[] }) {
  const some = affected.filter(({ names }) => names.length > 0);
  if (some.length === 0) return null;
  return (
    <ul aria-label="Affected" className="divide-y divide-line rounded-lg border border-line bg-ground text-sm">
      {some.map(({ what, names }) => (
        <li key={what} className="px-3 py-2">
          <p className="font-medium">{what}</p>
          <p className="break-words text-soft">{namesOf(names)}</p>
        </li>
      ))}
    </ul>
  );
}

function namesOf(names: readonly string[]): string {
  const more = names.length - namesShown;
  const shown = names.slice(0, namesShown).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
