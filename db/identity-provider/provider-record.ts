import { defineEntity, p } from '@mikro-orm/core';

/** Sessions, codes and grants of the built-in provider. Ids are bearer secrets, so they are hashed. */
export const ProviderRecordSchema = defineEntity({
  name: 'ProviderRecord',
  tableName: 'provider_record',
  properties: {
    model: p.text().primary(),
    idHash: p.blob().$type<Buffer>().primary(),
    /** JSON, sealed. */
    payload: p.blob().$type<Buffer>(),
    grantHash: p.blob().$type<Buffer>().nullable(),
    uidHash: p.blob().$type<Buffer>().nullable(),
    /** Whose it is, where it is somebody's: a reset ends these. */
    accountId: p.text().nullable(),
    consumedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'provider_record_grant_hash_index', properties: ['grantHash'], where: 'grant_hash is not null' },
    { name: 'provider_record_uid_hash_index', properties: ['uidHash'], where: 'uid_hash is not null' },
    { name: 'provider_record_account_id_index', properties: ['accountId'], where: 'account_id is not null' },
    { name: 'provider_record_expires_at_index', properties: ['expiresAt'] },
  ],
});

export class ProviderRecord extends ProviderRecordSchema.class {}
ProviderRecordSchema.setClass(ProviderRecord);

/** The keys that the built-in provider signs with, sealed. */
export const ProviderKeySchema = defineEntity({
  name: 'ProviderKey',
  tableName: 'provider_key',
  properties: {
    /** The key's `kid`. */
    id: p.text().primary(),
    privateKey: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class ProviderKey extends ProviderKeySchema.class {}
ProviderKeySchema.setClass(ProviderKey);
