import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

const keyPurposes = ['secrets', 'payloads', 'cursors', 'identity'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

/** A key that encrypts data, itself encrypted ("wrapped") by a key-encryption key that is outside the database. */
const DataKeySchema = defineEntity({
  name: 'data_key',
  properties: {
    id: p.uuid().primary(),
    purpose: p.enum(keyPurposes),
    /** Null: the key is the installation's. */
    organizationId: p.uuid().nullable(),
    kekId: p.text(),
    wrapped: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ properties: ['organizationId'] }, { properties: ['purpose'], where: 'organization_id is null' }],
  checks: [{ name: 'data_key_owner_check', expression: "(purpose = 'secrets') = (organization_id is not null)" }],
});

export const keys = [DataKeySchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toOrganization('data_key')];
