import { ClusterSchema } from './cluster.ts';
import { ClusterEventSchema } from './cluster-event.ts';

export const clusters = [ClusterSchema, ClusterEventSchema] as const;
