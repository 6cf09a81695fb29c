import { useQuery } from '@tanstack/react-query';
import { usePlane } from '../../control-plane/plane.ts';
import type { InstanceAnswer } from './instance-state.tsx';

/** One instance of a cluster, found among all that its agent sees; null if it is not among them. */
export function useInstance(clusterId: string, instanceId: string) {
  const { client, trpc } = usePlane();
  return useQuery({
    queryKey: [...trpc.workloads.instances.pathKey(), clusterId, 'one', instanceId],
    queryFn: async (): Promise<InstanceAnswer | null> => {
      for (let cursor: string | undefined; ; ) {
        const page = await client.workloads.instances.query({
          path: { id: clusterId },
          query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
        });
        const found = page.items.find(({ id }) => id === instanceId);
        if (found !== undefined || page.nextCursor === undefined) return found ?? null;
        cursor = page.nextCursor;
      }
    },
  });
}
