import { useList } from '../../../control-plane/by-slug.ts';
import { useWhole } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { Whose } from './use-staging.ts';

type Referred = Answers['variables']['referrers']['items'][number];
export type Referrers = ReadonlyMap<string, Referred>;

/** The variables that refer to these, by the keys of these; undefined until all are known. */
export function useReferrers({ environmentId, serviceId }: Whose): Referrers | undefined {
  const { trpc } = usePlane();
  const asked = { path: { id: environmentId }, query: { serviceId }, id: ({ key }: Referred) => key };
  const pages = useList(trpc.variables.referrers, asked);
  useWhole(pages, true);
  return pages.whole ? new Map(pages.items?.map((one) => [one.key, one])) : undefined;
}

const named = 3;

/** "Used by api.URL and web.URL", as references name them. */
export function usedBy({ count, referrers }: Referred): string {
  const names = referrers.slice(0, named).map(({ serviceSlug, key }) => `${serviceSlug || 'shared'}.${key}`);
  const others = count - names.length;
  const last = others > 0 ? `${others} more` : names.pop();
  return `Used by ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}
