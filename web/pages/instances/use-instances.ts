import { useQuery } from '@tanstack/react-query';
import type { Plane } from '../../control-plane/plane.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { InstanceAnswer } from './instance-state.tsx';

/** The instances that the agent of a cluster sees, page after page, as long as somebody reads on. */
async function* instancesOf({ client }: Plane, clusterId: string): AsyncGenerator<InstanceAnswer[]> {
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.workloads.instances.query({ path: { id: clusterId }, query });
    yield page.items;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

/** All of them. */
export function useInstances(clusterId: string) {
  const plane = usePlane();
  return useQuery({
    queryKey: [...plane.trpc.workloads.instances.pathKey(), clusterId, 'all'],
    queryFn: async () => {
      const all: InstanceAnswer[] = [];
      for await (const items of instancesOf(plane, clusterId)) all.push(...items);
      return all;
    },
  });
}

/** One, found among all; null if it is not among them. */
export function useInstance(clusterId: string, instanceId: string) {
  const plane = usePlane();
  return useQuery({
    queryKey: [...plane.trpc.workloads.instances.pathKey(), clusterId, 'one', instanceId],
    queryFn: async (): Promise<InstanceAnswer | null> => {
      for await (const items of instancesOf(plane, clusterId)) {
        const found = items.find(({ id }) => id === instanceId);
        if (found !== undefined) return found;
      }
      return null;
    },
  });
}
