import { useQuery } from '@tanstack/react-query';
import { usePlane } from '../../control-plane/plane.ts';
import type { InstanceAnswer } from './instance-state.tsx';

/** All instances of a cluster that its agent sees. */
export function useInstances(clusterId: string) {
  const { client, trpc } = usePlane();
  return useQuery({
    queryKey: [...trpc.workloads.instances.pathKey(), clusterId, 'all'],
    queryFn: async () => {
      const items: InstanceAnswer[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await client.workloads.instances.query({
          path: { id: clusterId },
          query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
        });
        items.push(...page.items);
        if (page.nextCursor === undefined) return items;
        cursor = page.nextCursor;
      }
    },
  });
}
