import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { type Shown, showMeanwhile } from './shown-meanwhile.ts';

interface Entry {
  id: number;
  read?: true;
}
const key = ['notifications', 'list'];
const reads = (id: number): Shown[] => [
  {
    queryKey: ['notifications'],
    data: (before: Entry[]) => before.map((entry) => (entry.id === id ? { ...entry, read: true } : entry)),
  },
];

/** A list on a page, the control plane that answers for it, and every data that the page has shown. */
async function page(entries: Entry[]) {
  const queryClient = new QueryClient();
  const plane = { entries };
  const observer = new QueryObserver(queryClient, { queryKey: key, queryFn: async () => plane.entries });
  const rendered: (Entry[] | undefined)[] = [];
  // As components do, at the end of each batch.
  observer.subscribe(notifyManager.batchCalls(() => rendered.push(observer.getCurrentResult().data)));
  await observer.refetch();
  return { queryClient, plane, rendered, observer, read: () => readOf(queryClient.getQueryData(key)) };
}

const readOf = (entries: Entry[] | undefined) => entries?.filter(({ read }) => read).map(({ id }) => id);

test('an answer that is older than the change does not take it away, not even for a moment, and its news is there', async () => {
  const { queryClient, plane, rendered, observer, read } = await page([{ id: 1 }, { id: 2 }]);
  const end = showMeanwhile(queryClient, reads(1));
  expect(read()).toEqual([1]);
  await new Promise(setImmediate);
  const from = rendered.length;
  plane.entries = [{ id: 3 }, ...plane.entries];
  await queryClient.invalidateQueries();
  expect(queryClient.getQueryData<Entry[]>(key)).toHaveLength(3);
  // The same for a page of a list that is replaced alone.
  queryClient.setQueryData(key, [{ id: 4 }, ...plane.entries]);
  expect(read()).toEqual([1]);

  end(true);
  expect(read()).toEqual([1]);
  await new Promise(setImmediate);
  expect(observer.getCurrentResult().data).toHaveLength(4);
  for (const entries of rendered.slice(from)) expect(readOf(entries)).toEqual([1]);
  expect(rendered.length).toBeGreaterThan(from);
});

test('a change that fails leaves what was answered meanwhile, and another one that is under way', async () => {
  const { queryClient, plane, read } = await page([{ id: 1 }, { id: 2 }]);
  const endFirst = showMeanwhile(queryClient, reads(1));
  const endSecond = showMeanwhile(queryClient, reads(2));
  plane.entries = [{ id: 3, read: true }, ...plane.entries];
  await queryClient.invalidateQueries();
  expect(read()).toEqual([3, 1, 2]);
  endFirst(false);
  expect(read()).toEqual([3, 2]);
  endSecond(true);
  expect(read()).toEqual([3, 2]);

  // From here on answers are shown as they are.
  await queryClient.invalidateQueries();
  expect(read()).toEqual([3]);
});

test('data that arrives first while the change is under way has it, and other queries are left alone', async () => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(['teams'], [{ id: 1 }]);
  const end = showMeanwhile(queryClient, reads(1));
  expect(queryClient.getQueryData(key)).toBeUndefined();
  await queryClient.fetchQuery({ queryKey: key, queryFn: async () => [{ id: 1 }] });
  expect(queryClient.getQueryData(key)).toEqual([{ id: 1, read: true }]);
  expect(queryClient.getQueryData(['teams'])).toEqual([{ id: 1 }]);
  end(false);
  expect(queryClient.getQueryData(key)).toEqual([{ id: 1 }]);
});
