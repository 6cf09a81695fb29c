import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

/** A bucket of S3 in which an organization keeps its backups. */
const ObjectStoreSchema = defineEntity({
  name: 'object_store',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    /** `https://s3.eu-central-1.amazonaws.com`, without the bucket. */
    endpoint: p.text(),
    region: p.text(),
    bucket: p.text(),
    /** Before each key, without slashes at its ends; empty for none. */
    prefix: p.text().default(''),
    forcePathStyle: p.boolean(),
    accessKeyId: p.text(),
    /** The secret access key, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>(),
    /** In PEM, of a store whose authority is not publicly trusted. */
    certificateAuthority: p.text().default(''),
    /** By the last verification or use; empty where the store did all that it was asked. */
    lastError: p.text().default(''),
    verifiedAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** The row stays for the records of backups that were in it, without its secret. */
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'object_store_organization_id_name_unique',
      expression:
        'create unique index "object_store_organization_id_name_unique" on "object_store" ("organization_id", lower("name")) where "deleted_at" is null',
    },
  ],
  indexes: [{ name: 'object_store_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

export const objectStores = [ObjectStoreSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toOrganization('object_store')];
