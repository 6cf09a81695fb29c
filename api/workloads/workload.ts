import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import type { SliceView } from '../../db/workloads/cluster-slices.ts';
import type { ObservedSliceView } from '../../db/workloads/observed-slices.ts';
import { observedInstance } from '../../protocol/observed.ts';
import { image, partName, process, type Workload, workload } from '../../protocol/workload.ts';
import { addressOf, asOf, asOfSchema, factsOf } from '../clusters/cluster.ts';
import type { AnswerOf } from '../engine/answers.ts';

const [layout, repository] = image.options;
const credential = z
  .strictObject({ username: z.string().max(256), password: z.string().max(8192).meta({ writeOnly: true }) })
  .describe('What the registry is asked with; never answered back.');

/** As people send it: host names are given by the control plane, and what is secret is marked as such. */
const workloadFields = workload.omit({ routes: true, rollout: true, network: true }).extend({
  processes: z.array(process.omit({ internalPort: true })).max(50),
  release: workload.shape.release
    .optional()
    .describe('Another value replaces what runs, replica by replica. Without it, it follows from all the rest.'),
  image: z.union([layout, repository.extend({ credential: credential.optional() })]),
  environment: workload.shape.environment.meta({ writeOnly: true }).describe('Values are never answered back.'),
});

export const workloadBody = workloadFields.meta({ id: 'WorkloadSpec' });
export type WorkloadBody = z.output<typeof workloadBody>;
export const namedWorkloadBody = workloadFields.extend({ name: partName }).meta({ id: 'NamedWorkloadSpec' });
export const workloadName = partName;

/** The slice of a cluster's desired state that a workload with this name is. */
export function sliceKeyOf(name: string): string {
  return `workload/${name}`;
}

export const instanceSchema = z
  .object({
    ...observedInstance.shape,
    workload: z.string().describe('The name of the workload it belongs to, or its key.'),
    releaseNumber: z
      .int()
      .optional()
      .describe('Of a service: the number of the release that it runs, while `release` tells its instances apart.'),
    exit: z
      .object({
        run: z.int(),
        code: z.int().optional(),
        signal: z.string().optional(),
        at: z.iso.datetime(),
      })
      .optional()
      .describe('How its last finished run ended; without code and signal nobody saw it.'),
    asOf: asOfSchema.optional(),
  })
  .meta({ id: 'Instance' });

const workloadStates = ['pending', 'applied', 'failed', 'removing'] as const;

export const workloadSchema = z
  .object({
    name: z.string(),
    key: z.string(),
    revision: z.int().describe('The revision of the cluster at which it last changed.'),
    appliedRevision: z.int().describe('The last revision in effect; 0 before the agent has reported one.'),
    state: z
      .enum(workloadStates)
      .describe('pending until the last revision is in effect; failed while the agent says why it cannot be.'),
    error: z.string().describe('Why it is degraded; empty if nothing is known to be wrong.'),
    release: z.string(),
    image: z.object({
      layout: z.string().optional(),
      own: z.string().optional().describe('Its repository in the registry of the control plane.'),
      repository: z.string().optional(),
      digest: z.string().optional(),
      tag: z.string().optional(),
      insecure: z.boolean().optional(),
    }),
    processes: z.array(workload.shape.processes.element),
    environmentNames: z.array(z.string()).describe('Names of the variables; their values are secret.'),
    volumes: z.array(z.object({ name: z.string(), sizeBytes: z.int().optional(), usedBytes: z.int().optional() })),
    hosts: z.array(
      z.object({ host: z.string(), process: z.string(), url: z.string().describe('Empty without an ingress.') }),
    ),
    instances: z.array(instanceSchema),
    asOf: asOfSchema.optional(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Workload' });

type Answer = AnswerOf<typeof workloadSchema>;
type State = (typeof workloadStates)[number];

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
    ...slice,
    appliedRevision: observed?.appliedRevision ?? 0,
    state: stateOf(slice, observed),
    error: stored.success ? (observed?.error ?? '') : 'It was stored by another version of Ballast: apply it again.',
    release: wanted?.release ?? '',
    image: wanted?.image ?? {},
    processes: wanted?.processes ?? [],
    environmentNames: Object.keys(wanted?.environment ?? {}).toSorted(),
    volumes: (wanted?.volumes ?? []).map((volume) => ({ ...volume, usedBytes: used.get(volume.name) })),
    hosts: (wanted?.routes ?? []).map(({ host, process }) => ({ host, process, url: addressOf(host, port) })),
    instances: (observed?.instances ?? []).flatMap((instance) => presentInstance(cluster, instance, slice.name)),
    ...asOf(cluster),
  };
}

/** None if it was told in a form that this version does not know. */
export function presentInstance(cluster: ClusterView, instance: unknown, workloadName: string, releaseNumber?: number) {
  const { data } = observedInstance.safeParse(instance);
  return data === undefined ? [] : [{ ...data, releaseNumber, workload: workloadName, ...asOf(cluster) }];
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
