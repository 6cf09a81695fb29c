import { z } from 'zod';
import { endOwnSession } from '../../db/sign-in/sessions.ts';
import { isHttps } from '../auth/begin-sign-in.ts';
import { operation } from '../engine/operation.ts';
import { whySession } from './get-session.ts';

const signOutSchema = z
  .object({
    endSessionUrl: z
      .string()
      .describe(
        'The address at which the browser signs out of the identity provider too; a page of Ballast if the provider has none.',
      ),
  })
  .meta({ id: 'SignOut' });

export const signOut = operation({
  method: 'POST',
  url: '/api/v1/auth/sign-out',
  summary: 'Sign out',
  description: 'Ends the session that asks, and clears its cookie.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  problems: [],
  result: signOutSchema,
  async handle({ caller, client, server, effect }) {
    const endSessionUrl = await server.provider.endSessionUrl();
    await endOwnSession(effect, caller.id, caller.credential.id);
    client.setCookie('svc_session', '', { maxAgeSeconds: 0, secure: isHttps(server) });
    return { endSessionUrl };
  },
});
