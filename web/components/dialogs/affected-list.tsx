import { type DataTag, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { namesText } from '../names.ts';

/** Things that a deletion concerns, of one kind. */
export interface Affected {
  /** As in "2 members lose the team". */
  what: string | ((count: number) => string);
  names: readonly string[] | NamesAsked;
}

/** Things that are counted only: their names would say nothing. */
interface Counted {
  what: (count: number) => string;
  count: number;
}

/** "1 service stops", "3 services stop". */
export function numbered(one: string, several: string): (count: number) => string {
  return (count) => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
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
export function AffectedList({ affected }: { affected: readonly (Affected | Counted)[] }) {
  return (
    <ul
      aria-label="Affected"
      className="divide-y divide-line rounded-lg border border-line bg-ground text-sm empty:hidden"
    >
      {affected.map((one) =>
        'count' in one ? (
          one.count > 0 && <Item key={one.what(0)} title={one.what(one.count)} />
        ) : 'queryKey' in one.names ? (
          <Asked key={keyOf(one)} what={one.what} asked={one.names} />
        ) : (
          <Line key={keyOf(one)} what={one.what} names={one.names} />
        ),
      )}
    </ul>
  );
}

/** The text decides: functions of one maker look the same. */
function keyOf({ what }: Pick<Affected, 'what'>): string {
  return typeof what === 'string' ? what : what(0);
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
    <Item title={typeof what === 'string' ? what : what(names.length)}>
      {namesText(names, namesShown)}
      {others && ', and others'}
    </Item>
  );
}

function Item({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <li className="px-3 py-2">
      <p className="font-medium">{title}</p>
      {children !== undefined && <p className="break-words text-soft">{children}</p>}
    </li>
  );
}
