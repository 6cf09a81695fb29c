import { sql } from 'kysely';
import { declareLost } from '../../db/agents/lost-agents.ts';
import { PeerAgent } from '../agents/peer-agent.ts';
import type { Ask } from './asked.ts';
import type { Console } from './console.ts';

/** A cluster whose agent is in contact, and runs nothing. */
export async function connectCluster(opened: Console, asked: Ask, name: string, region = ''): Promise<string> {
  const made = await asked('POST', '/clusters', { name, region });
  const cluster = made.cluster as { id: string };
  const [token = ''] = /bje_[A-Za-z0-9_-]+/.exec(String(made.installCommand)) ?? [];
  await new PeerAgent(opened.installation.url).join(token);
  await opened.installation.until(`the agent of ${name} is known`, async () => {
    return (await asked('GET', `/clusters/${cluster.id}`)).status !== 'awaiting-agent';
  });
  return cluster.id;
}

/** As if nothing had been heard of its agent for eight minutes. */
export async function loseCluster(opened: Console, asked: Ask, id: string): Promise<void> {
  const database = await opened.installation.database();
  await sql`update process set present_since = present_since - interval '10 minutes'`.execute(database.kysely);
  await sql`update cluster_agent set last_heartbeat_at = now() - interval '8 minutes' where cluster_id = ${id}`.execute(
    database.kysely,
  );
  await declareLost(database);
  await opened.installation.until(`${id} is lost`, async () => {
    return (await asked('GET', `/clusters/${id}`)).status === 'lost';
  });
}
