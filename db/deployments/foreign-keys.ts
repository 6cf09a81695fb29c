import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('deployment', 'project_id', 'project'),
  toRow('deployment', 'service_id', 'service'),
  toRow('deployment', 'release_id', 'release'),
  partOf('deployment_event', 'deployment_id', 'deployment'),
];
