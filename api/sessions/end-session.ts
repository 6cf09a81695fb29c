import { z } from 'zod';
import { endOwnSession } from '../../db/sign-in/sessions.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { whySession } from './get-session.ts';

export const endSession = operation({
  method: 'DELETE',
  url: '/api/v1/auth/sessions/{id}',
  summary: 'End one of your sessions',
  description: 'The session stops working at once, and its streams close.',
  scope: 'user',
  credentials: 'session',
  why: whySession,
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid() }),
  async handle({ caller, path, effect }) {
    if (await endOwnSession(effect, caller.id, path.id)) return;
    throw new Problem('not-found', 'You have no such session, or it has ended already.');
  },
});
