import type { z } from 'zod';
import type { clusterSchema } from '../../api/clusters/cluster.ts';
import { type Option, UsageError } from '../engine/command.ts';
import { type Address, Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Cluster = z.output<typeof clusterSchema>;

/** Options of every command about one cluster. */
export const clusterOptions = {
  cluster: { type: 'string', value: 'SLUG', what: 'Slug or id of the cluster; else the only one, or `local`.' },
  ...restOptions,
} as const satisfies Record<string, Option>;

/** The cluster that a command is about, and the API it is asked at. */
export async function chosenCluster(
  given: Address & { cluster?: string | undefined },
): Promise<{ rest: Rest; cluster: Cluster; path: string }> {
  const rest = new Rest(given);
  const clusters = await rest.all<Cluster>('/clusters');
  const cluster = chosen(clusters, given.cluster);
  return { rest, cluster, path: `/clusters/${cluster.id}` };
}

function chosen(clusters: Cluster[], wanted: string | undefined): Cluster {
  const slugs = clusters.map(({ slug }) => slug).join(', ');
  if (clusters.length === 0) throw new UsageError('There is no cluster yet; see `./ballast cluster create`.');
  if (wanted === undefined) {
    const [only] = clusters;
    if (only !== undefined && clusters.length === 1) return only;
    const local = clusters.find(({ local }) => local);
    if (local !== undefined) return local;
    throw new UsageError(`There are several clusters; say which one by --cluster: ${slugs}.`);
  }
  const found = clusters.find(({ id, slug }) => slug === wanted || id === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`There is no cluster "${printable(wanted)}"; there is: ${slugs}.`);
}
