import { sql } from 'kysely';
import type { Receiver } from '../ground/receiver.ts';
import type { Ask } from './asked.ts';
import type { Console } from './console.ts';

type Listed = { items: { label: string; failing: boolean; lastDeliveredAt?: string }[] };

/** Channels of which one is wrong, before anything happens that they hear of. Answers the id of the one that gets everything. */
export async function makeChannels(asked: Ask, receiver: Receiver): Promise<string> {
  const add = (label: string, body: Record<string, unknown>) =>
    asked('POST', '/notification-channels', { kind: 'chat_webhook', secret: receiver.url('/hooks'), label, ...body });
  const { id } = await add('Operations', {});
  await add('On call', { kind: 'incident_pager', secret: 'R0UTINGKEY00000000000000000Qx7T2' });
  await add('Releases', { events: ['deploy'], secret: receiver.url('/gone') });
  const former = await add('Old room', { events: ['failure', 'warning'] });
  await asked('PATCH', `/notification-channels/${former.id}`, { enabled: false });
  receiver.otherwise(({ path }, response) => {
    // Pagers take what they are sent with 202.
    // The one that fails stays as it is for as long as anybody looks.
    if (path === '/gone') response.writeHead(503, { 'retry-after': '3600' });
    else response.writeHead(path === '/hooks' ? 200 : 202);
    response.end();
  });
  return String(id);
}

/** Waits until they show what became of all that was sent, and lets their hosts be those of services that people know. */
export async function channelsHeard({ installation }: Console, asked: Ask): Promise<void> {
  await installation.until('channels have heard of what happened', async () => {
    const { items } = (await asked('GET', '/notification-channels')) as unknown as Listed;
    const of = (name: string) => items.find(({ label }) => label === name);
    return (
      of('Releases')?.failing && [of('Operations'), of('On call')].every((one) => one?.lastDeliveredAt !== undefined)
    );
  });
  const { kysely } = await installation.database();
  await sql`update notification_channel set hint = 'hooks.slack.com',
      last_error = regexp_replace(last_error, '^127[.0-9]+:[0-9]+', 'hooks.slack.com')
    where kind = 'chat_webhook' -- across tenants`.execute(kysely);
}
