import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_agent', 'cluster_id', 'cluster'),
  toRow('enrollment_token', 'cluster_id', 'cluster'),
];
