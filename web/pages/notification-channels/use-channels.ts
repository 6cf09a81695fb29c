import type { Sought } from '../../control-plane/by-slug.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { NotNamed } from '../../control-plane/problem.ts';
import type { Channel } from './channel-words.ts';

/** All channels of the organization: they are few, and listed whole. */
export function useChannels() {
  return usePages(usePlane().trpc.notificationChannels.list);
}

const nothing = new NotNamed('No such channel.');

/** One of them. */
export function useChannel(id: string): Sought<Channel> {
  const { items, query } = useChannels();
  const data = items?.find((one) => one.id === id);
  const missing = items !== undefined && data === undefined;
  return {
    data,
    isError: query.isError || missing,
    error: missing ? nothing : query.error,
    refetch: query.refetch,
  };
}
