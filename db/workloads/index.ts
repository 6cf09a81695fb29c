import { ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema } from './cluster-slice.ts';
import { InternalPortSchema } from './internal-port.ts';

export const workloads = [ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema, InternalPortSchema] as const;
