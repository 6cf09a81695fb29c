import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  partOf('left_volume', 'project_id', 'project'),
  partOf('left_volume', 'environment_id', 'environment'),
  partOf('left_volume', 'service_id', 'service'),
  partOf('left_volume', 'volume_id', 'volume'),
  partOf('left_volume', 'cluster_id', 'cluster'),
];
