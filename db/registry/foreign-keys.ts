import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';

const ofManifest = (table: string, column: string): ForeignKey => ({
  table,
  columns: ['organization_id', 'service_id', column],
  references: 'registry_manifest',
  referenced: ['organization_id', 'service_id', 'digest'],
  onDelete: 'cascade',
});

export const foreignKeys: readonly ForeignKey[] = [
  partOf('registry_link', 'service_id', 'service'),
  partOf('registry_upload', 'service_id', 'service'),
  partOf('registry_manifest', 'service_id', 'service'),
  ofManifest('registry_reference', 'manifest'),
  ofManifest('registry_tag', 'digest'),
];
