import type { ForeignKey } from '../postgres/foreign-keys.ts';

const ofService = (table: string): ForeignKey => ({
  table,
  columns: ['organization_id', 'service_id'],
  references: 'service',
  referenced: ['organization_id', 'id'],
  onDelete: 'cascade',
});

const ofManifest = (table: string, column: string): ForeignKey => ({
  table,
  columns: ['organization_id', 'service_id', column],
  references: 'registry_manifest',
  referenced: ['organization_id', 'service_id', 'digest'],
  onDelete: 'cascade',
});

export const foreignKeys: readonly ForeignKey[] = [
  ofService('registry_link'),
  ofService('registry_upload'),
  ofService('registry_manifest'),
  ofManifest('registry_reference', 'manifest'),
  ofManifest('registry_tag', 'digest'),
];
