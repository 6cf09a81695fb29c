import { useQuery } from '@tanstack/react-query';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Placed } from '../use-service.ts';

/** How the image starts, as far as that can be told: there may be no image yet, or its registry does not answer. */
export function CommandOfImage({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const asked = { path: { id: service.id }, query: { environmentId: environment.id } };
  const { data } = useQuery(trpc.releases.imageConfig.queryOptions(asked, { retry: false, staleTime: 60_000 }));
  const words = data === undefined ? [] : [...data.entrypoint, ...data.cmd];
  if (words.length === 0) return 'That of the image';
  return (
    <>
      That of the image: <code className="break-all">{words.join(' ')}</code>
    </>
  );
}
