import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';

const route = getRouteApi('/$organization/clusters/$cluster');

/** The cluster whose id is in the address, for the pages beneath it. */
export function useCluster() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  return useQuery(trpc.clusters.get.queryOptions({ path: { id } }));
}
