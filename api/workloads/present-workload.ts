import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import type { SliceView } from '../../db/workloads/cluster-slices.ts';
import type { ObservedSliceView } from '../../db/workloads/observed-slices.ts';
import { observedInstance } from '../../protocol/observed.ts';
import { type Workload, workload } from '../../protocol/workload.ts';
import { addressOf } from '../clusters/address-of.ts';
import { asOf } from '../clusters/as-of.ts';
import { factsOf } from '../clusters/present-cluster.ts';
import type { instanceSchema, workloadSchema, workloadStates } from './workload.ts';

type Answer = z.output<typeof workloadSchema>;
type State = (typeof workloadStates)[number];
type InstanceAnswer = z.output<typeof instanceSchema>;

const usedVolumes = z.array(z.object({ name: z.string(), usedBytes: z.int() }));

/** A workload, desired and last observed, side by side. The columns that are stored openly hold no secret. */
export function presentWorkload(
  cluster: ClusterView,
  slice: SliceView,
  observed: ObservedSliceView | undefined,
): Answer {
  const stored = workload.safeParse(slice.workload);
  const wanted: Workload | undefined = stored.data;
  const used = new Map(
    (usedVolumes.safeParse(observed?.volumes).data ?? []).map(({ name, usedBytes }) => [name, usedBytes]),
  );
  const port = factsOf(cluster)?.ingress?.port;
  return {
    name: slice.name,
    key: slice.key,
    revision: slice.revision,
    appliedRevision: observed?.appliedRevision ?? 0,
    state: stateOf(slice, observed),
    error: stored.success ? (observed?.error ?? '') : 'It was stored by another version of Ballast: apply it again.',
    release: wanted?.release ?? '',
    image: wanted === undefined ? {} : withoutCredential(wanted.image),
    processes: wanted?.processes ?? [],
    environmentNames: Object.keys(wanted?.environment ?? {}).toSorted(),
    volumes: (wanted?.volumes ?? []).map((volume) => {
      const usedBytes = used.get(volume.name);
      return usedBytes === undefined ? volume : { ...volume, usedBytes };
    }),
    hosts: (wanted?.routes ?? []).map(({ host, process }) => ({ host, process, url: addressOf(host, port) })),
    instances: (observed?.instances ?? []).flatMap((instance) => presentInstance(cluster, instance, slice.name)),
    ...asOf(cluster),
    createdAt: slice.createdAt.toISOString(),
    updatedAt: slice.updatedAt.toISOString(),
  };
}

/** None if it was told in a form that this version does not know. */
export function presentInstance(
  cluster: ClusterView,
  instance: unknown,
  workloadName: string,
  releaseNumber?: number,
): InstanceAnswer[] {
  const { data } = observedInstance.safeParse(instance);
  if (data === undefined) return [];
  const numbered = releaseNumber === undefined ? {} : { releaseNumber };
  return [{ ...data, ...numbered, workload: workloadName, ...asOf(cluster) }];
}

/** The agent's report from before the last change says nothing about that change. */
function stateOf(slice: SliceView, observed: ObservedSliceView | undefined): State {
  if (slice.removedAt !== null) return 'removing';
  if (observed === undefined) return 'pending';
  const isOfLastChange =
    observed.revision === null ? observed.observedAt > slice.updatedAt : observed.revision >= slice.revision;
  if (observed.error !== null && isOfLastChange) return 'failed';
  return observed.error === null && observed.appliedRevision >= slice.revision ? 'applied' : 'pending';
}

function withoutCredential(image: Workload['image']): Answer['image'] {
  if (!('repository' in image)) return image;
  const { credential: _, ...open } = image;
  return open;
}
