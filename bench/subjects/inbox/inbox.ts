import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { effect } from '../../../db/engine/effect.ts';
import { pokeReaders } from '../../../db/engine/feed/poke-readers.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import { openDatabase } from '../../../db/postgres/database.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { createSession } from '../../../db/sign-in/sessions.ts';
import { burst, type Inboxes } from '../../../test/inboxes/burst.ts';
import { wrongInboxes } from '../../../test/inboxes/wrong-inboxes.ts';
import { seedFullEnvironment } from '../../../test/seeds/seed-full-environment.ts';
import type { Benchmark, Opened } from '../../engine/benchmark.ts';
import { type Clients, startClients } from '../../engine/clients.ts';
import { type Ground, openGround } from '../../ground/ground.ts';
import { asBench, seedMembers } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';
import type { SeenByMembers } from './members-program.ts';
import type { PageTimes } from './pages-program.ts';

const members = 200;
const admins = 20;
const events = 10_000;
const writers = 4;
const perSecond = 50;
/** For the pages without events. */
const quietSeconds = 10;
/** By then the last hints have come, and what they had fetched. */
const settleSeconds = 10;

const rows = {
  time: `time for ${events} effects that tell of an event, against effects that tell nobody`,
  p50: `p50 of ${perSecond} pages a second meanwhile, against none`,
  p99: `p99 of ${perSecond} pages a second meanwhile, against none`,
  hints: 'hints to the member who is told most often',
  wrong: `of ${members} members: wrong inboxes and badges`,
} as const;

/** The same control plane with and without events. It is the figures that are judged, not their ratio. */
export const inbox: Benchmark = {
  name: 'inbox',
  what: `${events} events at once in the inboxes of ${members} members, each with an open stream that fetches the inbox at each hint`,
  rows: [
    { name: rows.time, unit: 's', better: 'less', mostBeside: () => 120 },
    { name: rows.p50, unit: 'ms', better: 'less', mostBeside: () => 150 },
    { name: rows.p99, unit: 'ms', better: 'less', mostBeside: () => 150 },
    // A hint that comes a little sooner than it was sent makes it a little more than one.
    { name: rows.hints, unit: 'hints/s', better: 'less', mostBeside: () => 1.05 },
    { name: rows.wrong, unit: 'inboxes', better: 'less', mostBeside: () => 0 },
  ],
  rounds: 1,
  open,
};

const paths = [
  '/api/v1/notifications?limit=50',
  '/api/v1/projects?limit=50',
  '/api/v1/deployments?limit=50',
  '/api/v1/clusters?limit=50',
  '/api/v1/approvals?limit=50',
  '/api/v1/auth/session',
];

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, people, sessions } = await seedPeople(ground);
  await seedFullEnvironment(ground.database, organizationId, { services: 50, past: 20 });
  await sql`analyze`.execute(ground.database.kysely);
  const [target = {}] = sessions.values();
  const env = { CONNECTIONS_PER_ADDRESS: '2000' };
  const { url } = opening.use(await startApi(ground, { path: paths[0] ?? '', headers: target }, env));
  const given = { url, headers: Object.fromEntries(sessions) };
  const consoles = opening.use(await startClients<SeenByMembers>('bench/subjects/inbox/members-program.ts', given));
  const asking = { url, paths, perSecond, headers: [...sessions.values()].slice(0, 2 * admins) };
  const pages = opening.use(await startClients<PageTimes>('bench/subjects/inbox/pages-program.ts', asking));
  // As the actors' activities in the worker do it.
  const database = await openDatabase({
    url: ground.env.DATABASE_URL ?? '',
    applicationName: 'ballast bench',
    poolMax: writers,
  });
  opening.defer(() => database.close());
  opening.defer(pokeReaders(database));
  const opened = opening.move();
  const inboxes = new Map<string, Set<string>>();

  return {
    async reference() {
      const times = await meanwhile(pages, () => pause(quietSeconds * 1_000));
      const took = await timed(() => tellNobody(database, organizationId));
      return { [rows.time]: took, [rows.p50]: times.p50, [rows.p99]: times.p99, [rows.hints]: 0, [rows.wrong]: 0 };
    },
    async subject(round) {
      let told: Inboxes = new Map();
      let took = 0;
      const times = await meanwhile(pages, async () => {
        took = await timed(async () => {
          told = await burst(database, people, { events, writers, name: `round ${round}, event` });
        });
      });
      for (const [id, more] of told) inboxes.set(id, new Set([...(inboxes.get(id) ?? []), ...more]));
      const { wrong, hints } = await judged(ground, organizationId, inboxes, consoles);
      return {
        [rows.time]: took,
        [rows.p50]: times.p50,
        [rows.p99]: times.p99,
        [rows.hints]: hints,
        [rows.wrong]: wrong,
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function seedPeople({ database }: Ground) {
  return await asBench(database, async (running) => {
    const { id: organizationId } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const ids = await seedMembers(running, organizationId, members);
    const people = { organizationId, admins: ids.slice(0, admins), others: ids.slice(admins) };
    const membership = tenant(running.kysely, organizationId).updateTable('membership');
    await membership.set({ role: 'deployer' }).where('user_id', 'in', people.others).execute();
    await membership.set({ role: 'admin' }).where('user_id', 'in', people.admins).execute();
    const sessions = new Map<string, Record<string, string>>();
    for (const userId of ids) {
      const { secret } = await createSession(running, { userId, lifetimeSeconds: 86_400 });
      sessions.set(userId, { cookie: `svc_session=${secret}`, 'x-svc-organization': organizationId });
    }
    return { organizationId, people, sessions };
  });
}

/** What pages took while something was done. */
async function meanwhile(pages: Clients<PageTimes>, work: () => Promise<unknown>): Promise<PageTimes> {
  await pages.report();
  await work();
  const times = await pages.report();
  if (times.failures.length > 0) throw new Error(`Pages failed: ${times.failures.slice(0, 5).join('; ')}`);
  process.stderr.write(
    `  ${Object.entries(times.byPath)
      .map(([path, own]) => `${path} ${own.toFixed(1)} ms`)
      .join(', ')}\n`,
  );
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** Effects of which nobody is told. */
async function tellNobody(database: Parameters<typeof burst>[0], organizationId: string): Promise<void> {
  let left = events;
  const write = async () => {
    while (left-- > 0) {
      await effect(database, { kind: 'machine', id: 'bench', name: 'bench' }, async ({ change }) =>
        change({ organizationId, kind: 'agent.work', id: organizationId }),
      );
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
}

async function judged(ground: Ground, organizationId: string, inboxes: Inboxes, consoles: Clients<SeenByMembers>) {
  const deadline = performance.now() + settleSeconds * 1_000;
  for (;;) {
    const { inboxes: seen, failures } = await consoles.report();
    if (failures.length > 0) throw new Error(`Consoles failed: ${failures.slice(0, 5).join('; ')}`);
    const wrong = await wrongInboxes(ground.database, organizationId, inboxes, (id) => seen[id]);
    if (wrong.length > 0 && performance.now() < deadline) {
      await pause(500);
      continue;
    }
    for (const sentence of wrong.slice(0, 5)) process.stderr.write(`  ${sentence}\n`);
    return { wrong: wrong.length, hints: Math.max(...Object.values(seen).map(({ hints }) => rateOf(hints))) };
  }
}

/** From the first hint to the last. */
function rateOf(hints: readonly number[]): number {
  const seconds = ((hints.at(-1) ?? 0) - (hints[0] ?? 0)) / 1_000;
  return seconds === 0 ? 0 : (hints.length - 1) / seconds;
}
