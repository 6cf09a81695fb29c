import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { InItsService } from '../services/in-its-service.tsx';

const route = getRouteApi('/$organization/builds/$build');

/** A build of which only the id is known. */
export function BuildPlace() {
  const { build: id } = route.useParams();
  const query = useQuery(usePlane().trpc.builds.get.queryOptions({ path: { id } }));
  return <InItsService query={query} noun="Build" at="builds/$build" />;
}
