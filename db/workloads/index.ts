import { ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema } from './cluster-slice.ts';

export const workloads = [ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema] as const;
