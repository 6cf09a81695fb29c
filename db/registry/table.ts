import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** The content of a digest, once for the whole installation. That it is there gives nobody a right to it: see RegistryLink. */
const RegistryBlobSchema = defineEntity({
  name: 'registry_blob',
  properties: {
    digest: p.text().primary(),
    size: p.bigint('number'),
    storedAt: p.datetime(3).defaultRaw('now()'),
    /** Somebody pushed or mounted it then: a sweep leaves it alone for a while. */
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['touchedAt'] }],
});

/** A repository's right to a blob. The repository is the service's. */
const RegistryLinkSchema = defineEntity({
  name: 'registry_link',
  properties: {
    serviceId: p.uuid().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
    touchedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['digest'] }, { properties: ['organizationId', 'serviceId'] }, { properties: ['touchedAt'] }],
});

/** A blob that is being pushed. Its bytes lie in the draft; how many they are, the draft itself says. */
const RegistryUploadSchema = defineEntity({
  name: 'registry_upload',
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
  indexes: [{ properties: ['organizationId', 'serviceId'] }, { properties: ['touchedAt'] }],
});

/** A piece of a draft, which is an object of the bucket that never changes. */
export interface DraftPart {
  object: string;
  bytes: number;
}

/**
 * The bytes that have arrived of an upload to a bucket. Of no organization: the upload's row says whose it is, and a
 * draft that no upload names is swept.
 */
const RegistryDraftSchema = defineEntity({
  name: 'registry_draft',
  properties: {
    name: p.text().primary(),
    bytes: p.bigint('number').default(0),
    /** In order. */
    parts: p.json<DraftPart[]>().defaultRaw(`'[]'::jsonb`),
    /** The SHA-256 of all its bytes, if the request that wrote the last of them knew it. */
    sha256: p.text().nullable(),
    changedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['changedAt'] }],
});

/** An image, a list of images or an artifact in a repository, as it was pushed. */
const RegistryManifestSchema = defineEntity({
  name: 'registry_manifest',
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
    { properties: ['organizationId', 'serviceId'] },
    {
      name: 'registry_manifest_subject_index',
      properties: ['serviceId', 'subject', 'digest'],
      where: 'subject is not null',
    },
    { properties: ['touchedAt'] },
  ],
  uniques: [{ properties: ['organizationId', 'serviceId', 'digest'] }],
});

/** A manifest names a blob or another manifest of its repository. */
const RegistryReferenceSchema = defineEntity({
  name: 'registry_reference',
  properties: {
    serviceId: p.uuid().primary(),
    manifest: p.text().primary(),
    digest: p.text().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ name: 'registry_reference_digest_index', properties: ['organizationId', 'serviceId', 'digest'] }],
});

const RegistryTagSchema = defineEntity({
  name: 'registry_tag',
  properties: {
    serviceId: p.uuid().primary(),
    name: p.text().primary(),
    organizationId: p.uuid(),
    digest: p.text(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'registry_tag_digest_index', properties: ['organizationId', 'serviceId', 'digest'] }],
});

export const registry = [
  RegistryBlobSchema,
  RegistryLinkSchema,
  RegistryUploadSchema,
  RegistryDraftSchema,
  RegistryManifestSchema,
  RegistryReferenceSchema,
  RegistryTagSchema,
] as const;

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
