import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Effect } from './effect.ts';
import { hashSecret, newSecret } from './secrets.ts';

export interface NewSession {
  userId: string;
  lifetimeSeconds: number;
  /** Without a request for that long, it ends. */
  idleSeconds?: number;
  ip?: string;
  userAgent?: string;
}

/** Makes a session. The secret is the cookie's value: it is returned here and is nowhere else. */
export async function createSession(effect: Effect, session: NewSession): Promise<{ id: string; secret: string }> {
  const { userId, lifetimeSeconds, idleSeconds, ip, userAgent } = session;
  const id = uuid();
  const secret = newSecret();
  await effect.kysely
    .insertInto('session')
    .values({
      id,
      secret_hash: hashSecret(secret),
      user_id: userId,
      ip: ip ?? null,
      user_agent: userAgent?.slice(0, 500) ?? null,
      expires_at: sql`now() + make_interval(secs => ${lifetimeSeconds})`,
      idle_expires_at: idleSeconds === undefined ? null : sql`now() + make_interval(secs => ${idleSeconds})`,
    })
    .execute();
  effect.audit({ action: 'session.created', subjectKind: 'session', subjectId: id });
  return { id, secret };
}

/** Ends a session and closes its streams, whichever organization they show. `false`: it had ended already. */
export async function endSession(effect: Effect, id: string): Promise<boolean> {
  const ended = await effect.kysely
    .updateTable('session')
    .set({ ended_at: sql`now()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  if (ended === undefined) return false;
  effect.audit({ action: 'session.ended', subjectKind: 'session', subjectId: id });
  const memberships = await effect.kysely
    .selectFrom('membership')
    .select('organization_id')
    .where('user_id', '=', ended.user_id)
    .execute();
  for (const { organization_id: organizationId } of memberships) {
    effect.change({ organizationId, kind: 'credential.revoked', id });
  }
  return true;
}
