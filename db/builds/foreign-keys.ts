import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toRow('build', 'project_id', 'project'),
  toRow('build', 'service_id', 'service'),
  partOf('build_log_chunk', 'build_id', 'build'),
  toRow('build_source', 'project_id', 'project'),
  toRow('build_source', 'service_id', 'service'),
  partOf('build_source_blob', 'build_source_id', 'build_source'),
];
