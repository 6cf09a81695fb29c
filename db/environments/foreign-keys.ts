import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('environment', 'project_id', 'project'),
  toRow('environment', 'cluster_id', 'cluster'),
  toRow('shared_variable', 'environment_id', 'environment'),
];
