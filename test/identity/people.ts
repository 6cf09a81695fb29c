import { v7 as uuid } from 'uuid';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { createSession } from '../../db/sign-in/sessions.ts';
import type { Credential } from '../installation/running-api.ts';
import { machine } from '../seeds/seed.ts';

/** Somebody who has signed in, and belongs nowhere yet. */
export interface SignedIn {
  userId: string;
  name: string;
  email: string;
  /** The session, used in this organization; in none without one. */
  in(organizationId?: string): Credential & { session: string; userId: string };
}

interface How {
  name?: string;
  email?: string;
  emailVerified?: boolean;
  mfa?: boolean;
}

/** A person as the identity provider would have described it, with a session. */
export async function signIn(database: Database, how: How = {}): Promise<SignedIn> {
  const userId = uuid();
  const { name = 'Ada', email = `${userId}@example.com`, emailVerified = true, mfa = false } = how;
  await database.kysely
    .insertInto('app_user')
    .values({ id: userId, name, email, email_verified: emailVerified, mfa })
    .execute();
  const { id, secret } = await effect(database, machine, (running) =>
    createSession(running, { userId, lifetimeSeconds: 3600, mfa }),
  );
  return { userId, name, email, in: (organizationId = '') => ({ session: secret, id, userId, organizationId }) };
}
