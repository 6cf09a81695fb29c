import { z } from 'zod';
import { endOwnSession, listSessions } from '../../db/sign-in/sessions.ts';
import { Problem } from '../../domain/problems.ts';
import { roles } from '../../domain/roles.ts';
import { isHttps } from '../auth/begin-sign-in.ts';
import { operation } from '../engine/operation.ts';
import { sealedPosition } from '../events/operations.ts';

const whySession = 'An API token has no session; sign in to see or end one.';

const sessionSchema = z
  .object({
    user: z.object({ id: z.guid(), name: z.string(), email: z.string(), picture: z.string().optional() }),
    organizations: z.array(z.object({ id: z.guid(), name: z.string(), role: z.enum(roles), slug: z.string() })),
    sessions: z
      .array(
        z.object({
          id: z.guid(),
          ip: z.string().optional().describe('The address it was created from.'),
          userAgent: z.string().optional(),
          createdAt: z.iso.datetime(),
          current: z.boolean().describe('Whether it is the one that asks.'),
        }),
      )
      .describe('By which the person is signed in, newest first; at most 200.'),
    position: z
      .string()
      .optional()
      .describe('For `after` of the organization event stream: it tells the changes since this answer.'),
  })
  .meta({ id: 'Session' });

const getSession = operation({
  method: 'GET',
  url: '/api/v1/auth/session',
  summary: 'Get the current session',
  description: 'The person, with organizations and sessions.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  result: sessionSchema,
  async handle({ caller, database, server }) {
    const { person, memberships, credential } = caller;
    if (person === undefined) throw new Error('A session without a person was admitted.');
    const sessions = await listSessions(database.kysely, person.id);
    return {
      position: sealedPosition(server, caller),
      user: person,
      organizations: [...memberships],
      sessions: sessions.map((one) => ({ ...one, current: one.id === credential.id })),
    };
  },
});

const endSession = operation({
  method: 'DELETE',
  url: '/api/v1/auth/sessions/{id}',
  summary: 'End one of your sessions',
  description: 'The session stops working at once, and its streams close.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  async handle({ caller, path, effect }) {
    if (await endOwnSession(effect, caller.id, path.id)) return;
    throw new Problem('not-found', 'You have no such session, or it has ended already.');
  },
});

const signOutSchema = z
  .object({
    endSessionUrl: z
      .string()
      .describe(
        'The address at which the browser signs out of the identity provider too; a page of Ballast if the provider has none.',
      ),
  })
  .meta({ id: 'SignOut' });

const signOut = operation({
  method: 'POST',
  url: '/api/v1/auth/sign-out',
  summary: 'Sign out',
  description: 'Ends the session that asks, and clears its cookie.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  result: signOutSchema,
  async handle({ caller, client, server, effect }) {
    const endSessionUrl = await server.provider.endSessionUrl();
    await endOwnSession(effect, caller.id, caller.credential.id);
    client.setCookie('svc_session', '', { maxAgeSeconds: 0, secure: isHttps(server) });
    return { endSessionUrl };
  },
});

export const sessions = { session: getSession, endSession, signOut };
