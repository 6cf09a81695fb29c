import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_command', 'cluster_id', 'cluster'),
  partOf('command_output', 'command_id', 'cluster_command'),
];
