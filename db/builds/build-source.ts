import { defineEntity, p } from '@mikro-orm/core';
import type { JsonValue } from '../postgres/json.ts';

/** A folder that was uploaded: the files that it has. Their bytes are blobs of the registry. */
export const BuildSourceSchema = defineEntity({
  name: 'BuildSource',
  tableName: 'build_source',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    serviceId: p.uuid(),
    /** Of the manifest: two sources with it are the same. */
    digest: p.text(),
    /** `SourceFile` each. */
    files: p.json<JsonValue[]>(),
    sizeBytes: p.bigint('number'),
    createdById: p.text(),
    createdByName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** The last upload, or request of a build of it: a sweep leaves it alone for a while. */
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { name: 'build_source_organization_id_id_unique', properties: ['organizationId', 'id'] },
    // The same folder is one source, and the folders of a service are found by it.
    { name: 'build_source_service_id_digest_unique', properties: ['serviceId', 'digest'] },
  ],
  indexes: [{ name: 'build_source_touched_at_index', properties: ['touchedAt'] }],
});

export class BuildSource extends BuildSourceSchema.class {}
BuildSourceSchema.setClass(BuildSource);

/** A blob that a source needs: it is kept while the source is there. */
export const BuildSourceBlobSchema = defineEntity({
  name: 'BuildSourceBlob',
  tableName: 'build_source_blob',
  properties: {
    buildSourceId: p.uuid().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
  },
  indexes: [
    { name: 'build_source_blob_digest_index', properties: ['digest'] },
    {
      name: 'build_source_blob_organization_id_build_source_id_index',
      properties: ['organizationId', 'buildSourceId'],
    },
  ],
});

export class BuildSourceBlob extends BuildSourceBlobSchema.class {}
BuildSourceBlobSchema.setClass(BuildSourceBlob);
