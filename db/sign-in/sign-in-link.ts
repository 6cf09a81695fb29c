import { defineEntity, p } from '@mikro-orm/core';

/** `first-owner`: makes the first account. `move`: binds a new identity to an account. `reset`: sets a new password. */
export const signInLinkKinds = ['first-owner', 'move', 'reset'] as const;
export type SignInLinkKind = (typeof signInLinkKinds)[number];

/** A link that the command line printed. Its secret is used once, by a POST. */
export const SignInLinkSchema = defineEntity({
  name: 'SignInLink',
  tableName: 'sign_in_link',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(signInLinkKinds),
    secretHash: p.blob().$type<Buffer>().unique('sign_in_link_secret_hash_unique'),
    /** Whose account it concerns; null for the first owner, who has none yet. */
    userId: p.uuid().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'sign_in_link_user_id_index', properties: ['userId'] }],
  checks: [{ name: 'sign_in_link_user_check', expression: "(kind = 'first-owner') = (user_id is null)" }],
});

export class SignInLink extends SignInLinkSchema.class {}
SignInLinkSchema.setClass(SignInLink);
