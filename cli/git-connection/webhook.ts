import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { connections, namedConnection } from './connection.ts';

export const gitConnectionWebhook = command({
  summary: 'Makes a new secret for the webhook of a Git connection, and shows it with the address',
  usage: 'CONNECTION [--json]',
  details: `CONNECTION is its label or its id. Paste both at the host, as a webhook of each repository or of the whole team: events push and tag push, content
type application/json. The secret is shown this once; what is signed with an older one is refused from now on.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const { webhookUrl, secret } = await rest.call<{ webhookUrl: string; secret: string }>(
      'POST',
      `${connections}/${id}/webhook-secret`,
    );
    if (given.json) return void process.stdout.write(`${JSON.stringify({ webhookUrl, secret }, undefined, 2)}\n`);
    process.stdout.write(`address  ${webhookUrl}\nsecret   ${secret}\n`);
  },
});
