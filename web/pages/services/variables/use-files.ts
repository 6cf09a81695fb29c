import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { usePlane } from '../../../control-plane/plane.ts';
import { type StagedItem, valueText } from '../../environments/staged/item-lines.ts';
import type { Placed } from '../use-service.ts';

/** A file that instances have, or will have once what is staged is deployed. */
export interface ServiceFile {
  path: string;
  variable: string;
  staged?: 'set' | 'unset';
  /** The staged change. */
  itemId?: string;
}

/**
 * The files of a service as its environment wants them, and those that are staged to be removed, by path. They come of two
 * answers: while one of them is asked for anew, a file would be gone for a moment, and the focus with it.
 */
export function useFiles({ service, environment }: Placed): ServiceFile[] {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.changeSets.draft.queryOptions({ path: { id: environment.id } }));
  const asked =
    useIsFetching({ queryKey: trpc.changeSets.draft.pathKey() }) + useIsFetching({ queryKey: trpc.services.pathKey() });
  const settled = useRef<ServiceFile[]>(undefined);
  if (settled.current === undefined || asked === 0) settled.current = filesOf(service, data?.items ?? []);
  return settled.current;
}

function filesOf({ id, files }: Placed['service'], items: readonly StagedItem[]): ServiceFile[] {
  const staged = items.filter(
    ({ kind, serviceId }) => serviceId === id && (kind === 'file.set' || kind === 'file.unset'),
  );
  const set = new Map(staged.map(({ key, id: itemId }) => [key, itemId]));
  const wanted = files.map((file): ServiceFile => {
    const itemId = set.get(file.path);
    return itemId === undefined ? file : { ...file, staged: 'set', itemId };
  });
  const there = new Set(wanted.map(({ path }) => path));
  const removed = staged.flatMap(({ kind, key: path, from, id: itemId }): ServiceFile[] =>
    kind === 'file.set' || there.has(path) ? [] : [{ path, variable: valueText(from) ?? '', staged: 'unset', itemId }],
  );
  return [...wanted, ...removed].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
