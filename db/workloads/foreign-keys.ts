import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_slice', 'cluster_id', 'cluster'),
  toRow('ingress_host', 'cluster_id', 'cluster'),
  toRow('internal_port', 'cluster_id', 'cluster'),
  toRow('observed_slice', 'cluster_id', 'cluster'),
];
