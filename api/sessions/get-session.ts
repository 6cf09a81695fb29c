import { z } from 'zod';
import { listSessions } from '../../db/sign-in/sessions.ts';
import { roles } from '../../domain/roles.ts';
import { operation } from '../engine/operation.ts';
import { sealedPosition } from '../events/stream-position.ts';

export const whySession = 'An API token has no session; sign in to see or end one.';

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

export const getSession = operation({
  method: 'GET',
  url: '/api/v1/auth/session',
  summary: 'Get the current session',
  description: 'The person, with organizations and sessions.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  problems: [],
  result: sessionSchema,
  async handle({ caller, database, server }) {
    const { person, memberships, credential } = caller;
    if (person === undefined) throw new Error('A session without a person was admitted.');
    const sessions = await listSessions(database.kysely, person.id);
    const { id, name, email, picture } = person;
    const position = sealedPosition(server, caller);
    return {
      ...(position === undefined ? {} : { position }),
      user: { id, name, email, ...(picture === null ? {} : { picture }) },
      organizations: memberships.map(({ id, name, role, slug }) => ({ id, name, role, slug })),
      sessions: sessions.map(({ id, ip, userAgent, createdAt }) => ({
        id,
        ...(ip === null ? {} : { ip }),
        ...(userAgent === null ? {} : { userAgent }),
        createdAt: createdAt.toISOString(),
        current: id === credential.id,
      })),
    };
  },
});
