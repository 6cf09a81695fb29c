import type { z } from 'zod';
import type { overviewServiceSchema } from '../../api/environments/overview.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { Environment } from '../place/chosen.ts';

export type OverviewService = z.output<typeof overviewServiceSchema>;

export async function overviewOf(rest: Rest, environment: Environment): Promise<OverviewService[]> {
  const { services } = await rest.call<{ services: OverviewService[] }>(
    'GET',
    `/environments/${environment.id}/overview`,
  );
  return services;
}

/** Where a service answers. An address is empty as long as the port of its cluster's ingress is not known. */
export function addressesOf({ addresses }: OverviewService): string[] {
  return addresses.map(({ url }) => printable(url)).filter((url) => url !== '');
}
