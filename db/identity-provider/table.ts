import { defineEntity, p } from '@mikro-orm/core';
import type { ForeignKey } from '../postgres/foreign-key.ts';

/** An account of the built-in provider; its id is the provider's `sub`. */
const ProviderAccountSchema = defineEntity({
  name: 'provider_account',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    email: p.text(),
    /** Algorithm, cost, salt and hash in one text. */
    passwordHash: p.text(),
    /** The secret of the authenticator app, sealed; null: there is none. */
    totpSecret: p.blob().$type<Buffer>().nullable(),
    /** The last time step whose code was used: each code is good once. */
    totpLastStep: p.bigint('number').nullable(),
    /** Wrong codes in a row. */
    totpWrongCodes: p.integer().default(0),
    /** Time at which the operator vouched for the address; null: the address is only claimed. */
    emailVerifiedAt: p.datetime(3).nullable(),
    /** Created to become the first owner: the first finished sign-in does it, by whatever way, while there is no owner. */
    forFirstOwner: p.boolean().default(false),
    /** The invitation that it was created to accept: the first finished sign-in accepts it. It may be deleted by then. */
    forInvitation: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    passwordChangedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    {
      name: 'provider_account_email_unique',
      expression: 'create unique index "provider_account_email_unique" on "provider_account" (lower("email"))',
    },
  ],
});

const ProviderPasskeySchema = defineEntity({
  name: 'provider_passkey',
  properties: {
    /** The credential's id, in base64url. */
    id: p.text().primary(),
    accountId: p.uuid(),
    publicKey: p.blob().$type<Buffer>(),
    counter: p.bigint('number').default(0),
    transports: p.array().default([]),
    name: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['accountId'] }],
});

/** Codes that stand in for a lost second factor, each once. */
const ProviderRecoveryCodeSchema = defineEntity({
  name: 'provider_recovery_code',
  properties: {
    accountId: p.uuid().primary(),
    codeHash: p.blob().$type<Buffer>().primary(),
    usedAt: p.datetime(3).nullable(),
  },
});

/** Sessions, codes and grants of the built-in provider. Ids are bearer secrets, so they are hashed. */
const ProviderRecordSchema = defineEntity({
  name: 'provider_record',
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
    { properties: ['grantHash'], where: 'grant_hash is not null' },
    { properties: ['uidHash'], where: 'uid_hash is not null' },
    { properties: ['accountId'], where: 'account_id is not null' },
    { properties: ['expiresAt'] },
  ],
});

/** The keys that the built-in provider signs with, sealed. */
const ProviderKeySchema = defineEntity({
  name: 'provider_key',
  properties: {
    /** The key's `kid`. */
    id: p.text().primary(),
    privateKey: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export const identityProvider = [
  ProviderAccountSchema,
  ProviderPasskeySchema,
  ProviderRecoveryCodeSchema,
  ProviderRecordSchema,
  ProviderKeySchema,
] as const;

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'provider_passkey',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'provider_recovery_code',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
];
