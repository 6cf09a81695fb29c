import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [toRow('cluster_event', 'cluster_id', 'cluster')];
