import { defineEntity, p } from '@mikro-orm/core';

export const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
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
    { name: 'session_user_id_index', properties: ['userId'] },
    {
      name: 'session_end_index',
      expression: 'create index "session_end_index" on "session" (least("ended_at", "expires_at", "idle_expires_at"))',
    },
  ],
});

export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
