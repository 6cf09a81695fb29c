import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { createPlane, type Plane } from '../control-plane/plane.ts';
import { affected as ofMembers } from '../pages/members/index.tsx';
import { all, grown, one } from './affected.ts';
import { refetch, withPushedOut } from './refetch.ts';

interface Team {
  id: string;
  name: string;
  createdAt: string;
  members: { userId: string; name: string }[];
}
const size = 10;
let stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
});

const team = (number: number): Team => ({
  id: `team-${number}`,
  name: `Team ${number}`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
  members: [],
});

/** A shown list of ten pages, and the cursors that were asked for since. */
async function tenPages(plane: Plane, teams: Team[], path?: object) {
  const asked: (string | undefined)[] = [];
  const observer = new InfiniteQueryObserver(plane.queryClient, {
    queryKey: [...plane.trpc.teams.list.pathKey(), 'pages', { path, query: {} }],
    queryFn: async ({ pageParam: cursor }: { pageParam: string | undefined }) => {
      asked.push(cursor);
      const from = cursor === undefined ? 0 : teams.findIndex(({ id }) => id === cursor) + 1;
      const items = teams.slice(from, from + size);
      const nextCursor = from + size < teams.length ? items.at(-1)?.id : undefined;
      return { items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: { items: Team[]; nextCursor?: string }) => last.nextCursor,
  });
  stops.push(observer.subscribe(() => undefined));
  await observer.refetch();
  for (let page = 1; page < 10; page += 1) await observer.fetchNextPage();
  asked.splice(0);
  const names = () => [
    ...new Map(
      observer.getCurrentResult().data?.pages.flatMap(({ items }) => items.map(({ id, name }) => [id, name])),
    ).values(),
  ];
  return { asked, names };
}

const hundredTeams = () => Array.from({ length: 100 }, (_, number) => team(number));

test('one hint with ten pages shown is one request, for the page that has the thing', async () => {
  const plane = createPlane('organization');
  const teams = hundredTeams();
  const { asked, names } = await tenPages(plane, teams);
  teams[42] = { ...team(42), name: 'Renamed' };
  await refetch(plane, [one(plane.trpc.teams, 'team-42')]);
  expect(asked).toEqual(['team-39']);
  expect(names()).toHaveLength(100);
  expect(names()[42]).toBe('Renamed');
});

test('a deleted thing goes with one request, and the rest stays whole', async () => {
  const plane = createPlane('organization');
  const teams = hundredTeams();
  const { asked, names } = await tenPages(plane, teams);
  teams.splice(42, 1);
  await refetch(plane, [one(plane.trpc.teams, 'team-42')]);
  expect(asked).toHaveLength(1);
  expect(names()).toEqual(teams.map(({ name }) => name));
});

test.each([
  ['ends with the newest', false],
  ['begins with the newest', true],
])('a new thing of a list that %s comes with one request, and pushes nothing out', async (_, newestFirst) => {
  const plane = createPlane('organization');
  const teams = hundredTeams();
  if (newestFirst) teams.reverse();
  const { asked, names } = await tenPages(plane, teams);
  if (newestFirst) teams.unshift(team(100));
  else teams.push(team(100));
  await refetch(plane, [one(plane.trpc.teams, 'team-100')]);
  expect(asked).toEqual([newestFirst ? undefined : 'team-89']);
  // The hundred and first is behind the last page that is shown.
  expect(names()).toEqual((newestFirst ? teams : teams.slice(0, 100)).map(({ name }) => name));
});

test('a hint of a member asks for the teams that hold the person, page by page, and for no others', async () => {
  const plane = createPlane('organization');
  const grace = { userId: 'grace', name: 'Grace' };
  const teams = hundredTeams().map((team, number) => ([7, 42].includes(number) ? { ...team, members: [grace] } : team));
  const { asked, names } = await tenPages(plane, teams);
  for (const number of [7, 42]) teams[number] = { ...team(number), name: 'Without Grace' };
  await refetch(plane, ofMembers.member(plane.trpc, 'grace'));
  expect(asked).toEqual([undefined, 'team-39']);
  expect([names()[7], names()[42]]).toEqual(['Without Grace', 'Without Grace']);
  asked.splice(0);
  await refetch(plane, ofMembers.member(plane.trpc, 'ada'));
  expect(asked).toEqual([]);
});

test('another thing’s own answers are left alone, those of the organization and of the thing itself are not', async () => {
  const plane = createPlane('organization');
  const asked: string[] = [];
  const keys = {
    itself: plane.trpc.clusters.get.queryKey({ path: { id: 'a' } }),
    another: plane.trpc.clusters.get.queryKey({ path: { id: 'b' } }),
    list: plane.trpc.clusters.list.queryKey({ query: { limit: 5 } }),
    organization: plane.trpc.organizations.get.queryKey({ path: { id: 'organization' } }),
  };
  for (const [name, queryKey] of Object.entries(keys)) {
    const queryFn = async () => asked.push(name);
    const observer = new QueryObserver<unknown>(plane.queryClient, {
      queryKey: queryKey as readonly unknown[],
      queryFn,
    });
    stops.push(observer.subscribe(() => undefined));
    await observer.refetch();
  }
  asked.splice(0);
  await refetch(plane, [one(plane.trpc.clusters, 'a'), one(plane.trpc.organizations, 'x')]);
  expect(asked.toSorted()).toEqual(['itself', 'list', 'organization']);
  asked.splice(0);
  await refetch(plane, [all(plane.trpc.clusters), grown(plane.trpc.organizations)]);
  expect(asked.toSorted()).toEqual(['another', 'itself', 'list', 'organization']);
});

test('a page with nothing in common with the one before it is no page of this list any more', () => {
  const items = (...ids: string[]) => ({ items: ids.map((id) => ({ id })), nextCursor: ids.at(-1) ?? '' });
  const of = (item: unknown) => (item as { id: string }).id;
  expect(withPushedOut(items('x', 'y'), items('a', 'b'), of)).toBeUndefined();
  expect(withPushedOut(items('n', 'a'), items('a', 'b'), of)?.items).toEqual(items('n', 'a', 'b').items);
  expect(withPushedOut({ items: [{ id: 'a' }] }, items('a', 'b'), of)?.items).toEqual([{ id: 'a' }]);
});
