import { defineEntity, p } from '@mikro-orm/core';

/** The content of a digest, once for the whole installation. That it is there gives nobody a right to it: see RegistryLink. */
export const RegistryBlobSchema = defineEntity({
  name: 'RegistryBlob',
  tableName: 'registry_blob',
  properties: {
    digest: p.text().primary(),
    size: p.bigint('number'),
    storedAt: p.datetime(3).defaultRaw('now()'),
    /** Somebody pushed or mounted it then: a sweep leaves it alone for a while. */
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'registry_blob_touched_at_index', properties: ['touchedAt'] }],
});

export class RegistryBlob extends RegistryBlobSchema.class {}
RegistryBlobSchema.setClass(RegistryBlob);

/** A repository's right to a blob. The repository is the service's. */
export const RegistryLinkSchema = defineEntity({
  name: 'RegistryLink',
  tableName: 'registry_link',
  properties: {
    serviceId: p.uuid().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'registry_link_digest_index', properties: ['digest'] },
    { name: 'registry_link_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    { name: 'registry_link_touched_at_index', properties: ['touchedAt'] },
  ],
});

export class RegistryLink extends RegistryLinkSchema.class {}
RegistryLinkSchema.setClass(RegistryLink);

/** A blob that is being pushed. Its bytes lie in the draft; how many they are, the draft itself says. */
export const RegistryUploadSchema = defineEntity({
  name: 'RegistryUpload',
  tableName: 'registry_upload',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    serviceId: p.uuid(),
    /** The file, which only the process that named it writes to: another one that goes on makes a draft of its own. */
    draft: p.text(),
    /** The credential of who has begun it. */
    begunBy: p.text().default(''),
    /** Bytes as of the last look: what counts for the quota. */
    received: p.bigint('number').default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'registry_upload_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    { name: 'registry_upload_touched_at_index', properties: ['touchedAt'] },
  ],
});

export class RegistryUpload extends RegistryUploadSchema.class {}
RegistryUploadSchema.setClass(RegistryUpload);
