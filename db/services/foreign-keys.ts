import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('service', 'project_id', 'project'),
  partOf('service_process', 'service_id', 'service'),
  partOf('volume', 'service_id', 'service'),
  toRow('environment_service', 'environment_id', 'environment'),
  toRow('environment_service', 'service_id', 'service'),
  toRow('environment_service', 'live_release_id', 'release'),
  toRow('variable', 'environment_id', 'environment'),
  partOf('variable', 'service_id', 'service'),
];
