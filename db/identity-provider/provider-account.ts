import { defineEntity, p } from '@mikro-orm/core';

/** An account of the built-in provider; its id is the provider's `sub`. */
export const ProviderAccountSchema = defineEntity({
  name: 'ProviderAccount',
  tableName: 'provider_account',
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

export class ProviderAccount extends ProviderAccountSchema.class {}
ProviderAccountSchema.setClass(ProviderAccount);

export const ProviderPasskeySchema = defineEntity({
  name: 'ProviderPasskey',
  tableName: 'provider_passkey',
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
  indexes: [{ name: 'provider_passkey_account_id_index', properties: ['accountId'] }],
});

export class ProviderPasskey extends ProviderPasskeySchema.class {}
ProviderPasskeySchema.setClass(ProviderPasskey);

/** Codes that stand in for a lost second factor, each once. */
export const ProviderRecoveryCodeSchema = defineEntity({
  name: 'ProviderRecoveryCode',
  tableName: 'provider_recovery_code',
  properties: {
    accountId: p.uuid().primary(),
    codeHash: p.blob().$type<Buffer>().primary(),
    usedAt: p.datetime(3).nullable(),
  },
});

export class ProviderRecoveryCode extends ProviderRecoveryCodeSchema.class {}
ProviderRecoveryCodeSchema.setClass(ProviderRecoveryCode);
