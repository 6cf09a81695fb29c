import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  partOf('draft', 'environment_id', 'environment'),
  partOf('change_set_item', 'environment_id', 'environment'),
  partOf('change_set_item', 'service_id', 'service'),
  toRow('change_set', 'project_id', 'project'),
];
