import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [partOf('log_reader', 'cluster_id', 'cluster')];
