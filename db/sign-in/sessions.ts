import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Effect } from '../engine/effect.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';

export interface NewSession {
  userId: string;
  lifetimeSeconds: number;
  /** Without a request for that long, it ends. */
  idleSeconds?: number;
  ip?: string;
  userAgent?: string | undefined;
  /** How the person proved who it is, as the provider said, and whether that was more than one factor. */
  amr?: readonly string[];
  mfa?: boolean;
  providerId?: string;
}

/** Makes a session. The secret is the cookie's value: it is returned here and is nowhere else. */
export async function createSession(effect: Effect, session: NewSession): Promise<{ id: string; secret: string }> {
  const { userId, lifetimeSeconds, idleSeconds, ip, userAgent, amr = [], mfa = false, providerId } = session;
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
      amr: [...amr],
      mfa,
      provider_id: providerId ?? null,
      expires_at: sql`now() + make_interval(secs => ${lifetimeSeconds})`,
      idle_seconds: idleSeconds ?? null,
      idle_expires_at: idleSeconds === undefined ? null : sql`now() + make_interval(secs => ${idleSeconds})`,
    })
    .execute();
  effect.audit(
    'session.created',
    { id },
    { userId, mfa, amr: [...amr], ...(providerId === undefined ? {} : { provider: providerId }) },
  );
  return { id, secret };
}

export interface SessionView {
  id: string;
  ip: string | null;
  userAgent: string | null;
  createdAt: Date;
}

/** More sessions than anyone reads through; older ones can be ended by signing out where they are used. */
const mostListed = 200;

/** The sessions by which a user is signed in, newest first. */
export async function listSessions(kysely: Kysely<Tables>, userId: string): Promise<SessionView[]> {
  return await kysely
    .selectFrom('session')
    .select(['id', 'ip', 'user_agent as userAgent', 'created_at as createdAt'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where((where) => where.or([where('idle_expires_at', 'is', null), where('idle_expires_at', '>', sql<Date>`now()`)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostListed)
    .execute();
}

/** The session with this secret, over or not, and whose it is. */
export async function sessionOfSecret(
  kysely: Kysely<Tables>,
  secret: string,
): Promise<{ id: string; userId: string } | undefined> {
  return await kysely
    .selectFrom('session')
    .select(['id', 'user_id as userId'])
    .where('secret_hash', '=', hashSecret(secret))
    .executeTakeFirst();
}

/** Ends a session and closes its streams, whichever organization they show. `false`: it had ended already. */
export async function endSession(effect: Effect, id: string): Promise<boolean> {
  return (await end(effect, { id })).length > 0;
}

/** Ends a session if it is the user's own. `false`: it has none with this id, whether others have or not. */
export async function endOwnSession(effect: Effect, userId: string, id: string): Promise<boolean> {
  return (await end(effect, { id, userId })).length > 0;
}

/** Ends all of a user's sessions. Returns how many there were. */
export async function endSessionsOf(effect: Effect, userId: string): Promise<number> {
  return (await end(effect, { userId })).length;
}

async function end(effect: Effect, which: { id?: string; userId?: string }): Promise<string[]> {
  let query = effect.kysely
    .updateTable('session')
    .set({ ended_at: sql`now()` })
    .where('ended_at', 'is', null)
    .returning(['id', 'user_id as userId']);
  if (which.id !== undefined) query = query.where('id', '=', which.id);
  if (which.userId !== undefined) query = query.where('user_id', '=', which.userId);
  const ended = await query.execute();
  const [first] = ended;
  if (first === undefined) return [];
  const memberships = await acrossTenants(effect.kysely)
    .selectFrom('membership')
    .select('organization_id as organizationId')
    .where('user_id', '=', first.userId)
    .execute();
  for (const { id, userId } of ended) {
    effect.audit('session.ended', { id }, { userId });
    for (const { organizationId } of memberships) effect.change({ organizationId, kind: 'credential.revoked', id });
  }
  return ended.map(({ id }) => id);
}
