import { acceptInvitation as accept } from '../../db/invitations/invitations.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { invitationTokenPath } from './invitation.ts';

export const acceptInvitation = operation({
  method: 'POST',
  url: '/api/v1/invitations/{token}/accept',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member. The e-mail address that the identity provider has verified must be the invited one, whatever the case.',
  scope: 'user',
  credentials: 'session',
  why: 'An invitation is for a person, and an API token is nobody in person; sign in and accept it then.',
  rate: 'credentials',
  problems: ['not-found', 'email-mismatch', 'invitation-over', 'already-member'],
  path: invitationTokenPath,
  async handle({ caller, path, effect }) {
    if (caller.person === undefined) throw new Problem('session-required', 'Sign in to accept an invitation.');
    await accept(effect, { token: path.token, user: caller.person });
  },
});
