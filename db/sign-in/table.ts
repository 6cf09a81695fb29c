import { defineEntity, p } from '@mikro-orm/core';
import type { ForeignKey } from '../postgres/foreign-key.ts';

/** Who a person is at an identity provider. A person with two of them can sign in by either. */
const IdentitySchema = defineEntity({
  name: 'identity',
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
  uniques: [{ properties: ['providerId', 'subject'] }],
  indexes: [{ properties: ['userId'] }],
});

const SessionSchema = defineEntity({
  name: 'session',
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the cookie's value: the value itself is nowhere. */
    secretHash: p.blob().$type<Buffer>().unique('session_secret_hash_unique'),
    userId: p.uuid(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    idleExpiresAt: p.datetime(3).nullable(),
    /** Without a request for that long it ends; null: it has no such end. */
    idleSeconds: p.integer().nullable(),
    endedAt: p.datetime(3).nullable(),
    /** How the person proved who it is, as the provider said (RFC 8176). */
    amr: p.array().default([]),
    /** Whether that was more than one factor. */
    mfa: p.boolean().default(false),
    /** Whose provider signed the person in. */
    providerId: p.text().nullable(),
  },
  indexes: [
    { properties: ['userId'] },
    {
      name: 'session_end_index',
      expression: 'create index "session_end_index" on "session" (least("ended_at", "expires_at", "idle_expires_at"))',
    },
  ],
});

/**
 * A sign-in that has begun: the browser is at the provider. State, nonce and the code verifier all follow from the secret
 * in the browser's `svc_oidc` cookie; here are only hashes, so that whoever reads this can finish nobody's sign-in.
 */
const SignInAttemptSchema = defineEntity({
  name: 'sign_in_attempt',
  properties: {
    id: p.uuid().primary(),
    browserHash: p.blob().$type<Buffer>().unique('sign_in_attempt_browser_hash_unique'),
    stateHash: p.blob().$type<Buffer>().unique('sign_in_attempt_state_hash_unique'),
    returnTo: p.text(),
    userAgent: p.text().nullable(),
    /** The used link that it goes back to: it may make or change an account. */
    signInLinkId: p.uuid().nullable(),
    /** The invitation that is being accepted: it may make an account. */
    invitationId: p.uuid().nullable(),
    /** The one interaction at the built-in provider that may use the link or the invitation. */
    interactionHash: p.blob().$type<Buffer>().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
  },
  indexes: [{ properties: ['expiresAt'] }, { properties: ['signInLinkId'] }, { properties: ['invitationId'] }],
});

/** `first-owner`: makes the first account. `move`: binds a new identity to an account. `reset`: sets a new password. */
const signInLinkKinds = ['first-owner', 'move', 'reset'] as const;
export type SignInLinkKind = (typeof signInLinkKinds)[number];

/** A link that the command line printed. Its secret is used once, by a POST. */
const SignInLinkSchema = defineEntity({
  name: 'sign_in_link',
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
  indexes: [{ properties: ['userId'] }],
  checks: [{ name: 'sign_in_link_user_check', expression: "(kind = 'first-owner') = (user_id is null)" }],
});

export const signIn = [IdentitySchema, SessionSchema, SignInLinkSchema, SignInAttemptSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'session', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'identity', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'sign_in_link', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  {
    table: 'sign_in_attempt',
    columns: ['sign_in_link_id'],
    references: 'sign_in_link',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'sign_in_attempt',
    columns: ['invitation_id'],
    references: 'invitation',
    referenced: ['id'],
    onDelete: 'cascade',
  },
];
