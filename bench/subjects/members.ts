import { sql } from 'kysely';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { createOrganization } from '../../db/organizations/organizations.ts';
import { createSession } from '../../db/sign-in/sessions.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { requestsPerSecond } from '../engine/load.ts';
import { openGround } from '../ground/ground.ts';
import { asBench, bearer, seedMembers, seedTokens } from '../ground/seed.ts';
import { startApi } from '../ground/servers.ts';

const rows = {
  members: 'page of 10 members, of 10 against 10,000',
  tokens: 'page of 10 tokens, of 10 against 1,000',
  byToken: 'check of a token, 10 members against 10,000',
  bySession: 'check of a session, 10 members against 10,000',
} as const;

/** Two organizations side by side, so that what grows with one of them shows. */
export const members: Benchmark = {
  name: 'members',
  what: 'lists and credential checks in an organization of 10,000 members and 1,000 tokens, against one with ten of each (both sides are Ballast)',
  rows: Object.values(rows).map((name) => ({ name, unit: 'requests/s', better: 'more' })),
  open,
};

interface Seeded {
  organizationId: string;
  byToken: Record<string, string>;
  bySession: Record<string, string>;
}

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const small = await asBench(ground.database, (running) => organization(running, 'small', 10, 10));
  const large = await asBench(ground.database, (running) => organization(running, 'large', 10_000, 1000));
  await sql`analyze`.execute(ground.database.kysely);
  const path = `/api/v1/organizations/${small.organizationId}`;
  const server = opening.use(await startApi(ground, { path, headers: small.byToken }));
  const opened = opening.move();

  async function load({ organizationId, byToken, bySession }: Seeded): Promise<Figures> {
    const asked = async (where: string, headers: Record<string, string>) =>
      await requestsPerSecond({
        url: `${server.url}${where}`,
        requests: [{ headers }],
        connections: 16,
        warmUpSeconds: 1,
        seconds: 2,
      });
    const itself = `/api/v1/organizations/${organizationId}`;
    return {
      [rows.members]: await asked(`${itself}/members?limit=10`, byToken),
      [rows.tokens]: await asked('/api/v1/api-tokens?limit=10', byToken),
      [rows.byToken]: await asked(itself, byToken),
      [rows.bySession]: await asked(itself, bySession),
    };
  }
  return {
    reference: () => load(small),
    subject: () => load(large),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function organization(running: Effect, slug: string, people: number, tokens: number): Promise<Seeded> {
  const { id: organizationId } = await createOrganization(running, { name: slug, slug });
  const [userId = ''] = await seedMembers(running, organizationId, people);
  await seedTokens(running, organizationId, tokens - 1);
  const { secret } = await createToken(running, { organizationId, name: 'reader', role: 'admin' });
  const session = await createSession(running, { userId, lifetimeSeconds: 86_400 });
  return {
    organizationId,
    byToken: bearer(secret),
    bySession: { cookie: `svc_session=${session.secret}`, 'x-svc-organization': organizationId },
  };
}
