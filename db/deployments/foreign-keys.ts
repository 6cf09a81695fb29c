import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('deployment', 'project_id', 'project'),
  toRow('deployment', 'service_id', 'service'),
  toRow('deployment', 'release_id', 'release'),
  toRow('deployment_day', 'project_id', 'project'),
  toRow('deployment_durations', 'project_id', 'project'),
  partOf('deployment_event', 'deployment_id', 'deployment'),
];
