import { defineEntity, p } from '@mikro-orm/core';

/** Who a person is at an identity provider. A person with two of them can sign in by either. */
export const IdentitySchema = defineEntity({
  name: 'Identity',
  tableName: 'identity',
  properties: {
    id: p.uuid().primary(),
    /** `built-in`, or the issuer of an external provider. */
    providerId: p.text(),
    /** The provider's `sub`. */
    subject: p.text(),
    userId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastSignInAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'identity_provider_id_subject_unique', properties: ['providerId', 'subject'] }],
  indexes: [{ name: 'identity_user_id_index', properties: ['userId'] }],
});

export class Identity extends IdentitySchema.class {}
IdentitySchema.setClass(Identity);
