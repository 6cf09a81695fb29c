import { defineEntity, p } from '@mikro-orm/core';

const AppUserSchema = defineEntity({
  name: 'app_user',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    email: p.text(),
    /** Whether the identity provider vouches for the address: only then it opens invitations. */
    emailVerified: p.boolean().default(false),
    picture: p.text().nullable(),
    /** Whether the last sign-in passed a second factor. */
    mfa: p.boolean().default(false),
    lastSignInAt: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export const users = [AppUserSchema] as const;
