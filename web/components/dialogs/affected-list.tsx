import { type DataTag, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { namesText } from '../names.ts';

/** Things that a deletion concerns, of one kind. */
export interface Affected {
  /** As in "2 members lose the team". */
  what: string | ((count: number) => string);
  names: readonly string[] | NamesAsked;
}

interface Listed {
  items: readonly { name: string }[];
  nextCursor?: string | undefined;
}
type NamesAsked = Pick<UseQueryOptions<Listed>, 'queryKey' | 'queryFn'>;

/** Names that are asked for when the question is shown: `namesIn(trpc.workloads.list.queryOptions({ path: { id } }))`. */
export function namesIn<Answer extends Listed>(options: { queryKey: DataTag<QueryKey, Answer, unknown> }): NamesAsked {
  return options as unknown as NamesAsked;
}

const namesShown = 5;

/** Names what a deletion takes with it. Shows nothing if it takes nothing. */
export function AffectedList({ affected }: { affected: readonly Affected[] }) {
  return (
    <ul
      aria-label="Affected"
      className="divide-y divide-line rounded-lg border border-line bg-ground text-sm empty:hidden"
    >
      {affected.map(({ what, names }) =>
        'queryKey' in names ? (
          <Asked key={String(what)} what={what} asked={names} />
        ) : (
          <Line key={String(what)} what={what} names={names} />
        ),
      )}
    </ul>
  );
}

function Asked({ what, asked }: Pick<Affected, 'what'> & { asked: NamesAsked }) {
  const { data, isError } = useQuery(asked);
  if (data === undefined) return <Line what={what} names={[isError ? 'They could not be loaded' : '…']} />;
  return <Line what={what} names={data.items.map(({ name }) => name)} others={data.nextCursor !== undefined} />;
}

/** `others`: there are more than these. */
function Line({
  what,
  names,
  others = false,
}: Pick<Affected, 'what'> & { names: readonly string[]; others?: boolean }) {
  if (names.length === 0) return null;
  return (
    <li className="px-3 py-2">
      <p className="font-medium">{typeof what === 'string' ? what : what(names.length)}</p>
      <p className="break-words text-soft">
        {namesText(names, namesShown)}
        {others && ', and others'}
      </p>
    </li>
  );
}
