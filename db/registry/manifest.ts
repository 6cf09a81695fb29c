import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../postgres/json.ts';

/** An image, a list of images or an artifact in a repository, as it was pushed. */
export const RegistryManifestSchema = defineEntity({
  name: 'RegistryManifest',
  tableName: 'registry_manifest',
  properties: {
    serviceId: p.uuid().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
    mediaType: p.text(),
    /** To the byte, since the digest is of these. */
    content: p.blob().$type<Buffer>(),
    size: p.integer(),
    /** The configuration of an image: how it starts, where it listens. */
    config: p.json<JsonObject>().nullable(),
    /** The manifest that this one says something about, whether that is there or not. */
    subject: p.text().nullable(),
    artifactType: p.text().default(''),
    /** Of one with a subject: lists of referrers have them. */
    annotations: p.json<JsonObject>().nullable(),
    pushedAt: p.datetime(3).defaultRaw('now()'),
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'registry_manifest_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    {
      name: 'registry_manifest_subject_index',
      properties: ['serviceId', 'subject', 'digest'],
      where: 'subject is not null',
    },
    { name: 'registry_manifest_touched_at_index', properties: ['touchedAt'] },
  ],
  uniques: [
    {
      name: 'registry_manifest_organization_id_service_id_digest_unique',
      properties: ['organizationId', 'serviceId', 'digest'],
    },
  ],
});

export class RegistryManifest extends RegistryManifestSchema.class {}
RegistryManifestSchema.setClass(RegistryManifest);

/** A manifest names a blob or another manifest of its repository. */
export const RegistryReferenceSchema = defineEntity({
  name: 'RegistryReference',
  tableName: 'registry_reference',
  properties: {
    serviceId: p.uuid().primary(),
    manifest: p.text().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ name: 'registry_reference_digest_index', properties: ['organizationId', 'serviceId', 'digest'] }],
});

export class RegistryReference extends RegistryReferenceSchema.class {}
RegistryReferenceSchema.setClass(RegistryReference);

export const RegistryTagSchema = defineEntity({
  name: 'RegistryTag',
  tableName: 'registry_tag',
  properties: {
    serviceId: p.uuid().primary(),
    name: p.text().primary(),
    organizationId: p.uuid(),
    digest: p.text(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'registry_tag_digest_index', properties: ['organizationId', 'serviceId', 'digest'] }],
});

export class RegistryTag extends RegistryTagSchema.class {}
RegistryTagSchema.setClass(RegistryTag);
