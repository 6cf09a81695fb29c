import { z } from 'zod';
import { replaceWebhookSecret as replace } from '../../db/git-connections/connections.ts';
import { operation } from '../engine/operation.ts';
import { gitConnectionAnswer, gitConnectionPath, theGitConnection } from './git-connection.ts';

export const replaceWebhookSecret = operation({
  method: 'POST',
  url: '/api/v1/git-connections/{id}/webhook-secret',
  summary: 'Replace the secret of the webhook of a Git connection',
  description:
    'Answers the new secret, which is shown this once: paste it at the host, with `webhookUrl`. What is signed with the old one is refused from now on.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: gitConnectionPath,
  result: z.object({ id: z.guid(), webhookUrl: z.string(), secret: z.string() }).meta({ id: 'GitWebhookSecret' }),
  secretAnswer: ({ id }) => id,
  async handle({ caller, path, effect, server }) {
    const connection = await caller.see(theGitConnection, path.id, effect.kysely);
    const secret = await replace(effect, server.keyring, caller.organization.id, connection);
    const { id, webhookUrl } = gitConnectionAnswer(caller, connection, server.settings.PUBLIC_URL);
    return { id, webhookUrl, secret };
  },
});
