import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { LineFolder } from '../../../agent/builders/build-log.ts';
import { createToken } from '../../../db/api-tokens/api-tokens.ts';
import { askAgent, lockBuild } from '../../../db/builds/claim.ts';
import { requestBuild } from '../../../db/builds/request-build.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import { type Mask, maskOf } from '../../../domain/variables/mask.ts';
import { commandBody } from '../../../protocol/command.ts';
import { PeerAgent } from '../../../test/agents/peer-agent.ts';
import { seedSource } from '../../../test/builds/seed-source.ts';
import { seedPlace } from '../../../test/seeds/seed-place.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { startClients } from '../../engine/clients.ts';
import { openGround } from '../../ground/ground.ts';
import { asBench, bearer, seedTokens } from '../../ground/seed.ts';
import { startApi } from '../../ground/servers.ts';
import type { BuildingAgent } from './agent-program.ts';
import { lineOf } from './lines.ts';
import type { SeenByFollowers } from './readers-program.ts';

const readers = 20;
/** Of one credential: the specification's limit. */
const each = 4;
const [perSecond, seconds] = [10_000, 10];
const count = perSecond * seconds;
const patience = 60;
const secrets = Array.from({ length: 100 }, (_, number) => randomBytes(8 + (number % 40)).toString('base64'));

const rows = {
  p99: `build log: p99 until a line of ${perSecond} a second is read, by ${readers} readers against 1`,
  lag: `build log: longest lag of the API's event loop meanwhile`,
  rows: `build log: rows of PostgreSQL for ${perSecond} lines`,
  mask: `build log: CPU of ${perSecond} lines with ${secrets.length} secrets masked, against none`,
} as const;

/** It is the figures that are judged: the reference has one reader, and masks nothing. */
export const buildLog: Benchmark = {
  name: 'build-log',
  what: `a build that writes ${perSecond} lines a second, through agent, API and PostgreSQL to ${readers} readers`,
  rows: [
    { name: rows.p99, unit: 'ms', better: 'less', mostBeside: () => 250 },
    { name: rows.lag, unit: 'ms', better: 'less', mostBeside: () => 100 },
    { name: rows.rows, unit: 'rows', better: 'less', mostBeside: () => 300 },
    { name: rows.mask, unit: 'ms', better: 'less', mostBeside: (reference) => 3 * reference },
  ],
  rounds: 2,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { database, keyring } = ground;
  const { organizationId, tokens, admin } = await asBench(database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const made = await createToken(running, { organizationId: id, name: 'admin', role: 'admin' });
    return { organizationId: id, tokens: await seedTokens(running, id, readers / each), admin: made.secret };
  });
  const metricsToken = ground.file('metrics-token');
  const { url } = opening.use(
    await startApi(ground, { path: '/api/v1/builds', headers: bearer(admin) }, { METRICS_TOKEN_FILE: metricsToken }),
  );
  const agent = new PeerAgent(url);
  const made = await fetch(`${url}/api/v1/clusters`, {
    method: 'POST',
    headers: { ...bearer(admin), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Here' }),
  });
  const { cluster, token } = (await made.json()) as { cluster: { id: string }; token: string };
  await agent.join(token);
  const opened = opening.move();
  let round = 0;

  /** A build that its agent has taken. */
  async function running() {
    const place = await seedPlace(database, organizationId);
    const buildSourceId = await seedSource(database, place);
    const id = await asBench(database, async (asking) => {
      const source = { kind: 'upload' as const, buildSourceId };
      return await requestBuild(asking, {
        ...place,
        source,
        trigger: 'upload',
        deploys: false,
        actorUserId: undefined,
      });
    });
    const row = database.kysely.updateTable('build').where('id', '=', id);
    await row.set({ cluster_id: cluster.id }).execute();
    await asBench(database, async (asking) => {
      const build = await lockBuild(asking, id);
      if (build !== undefined) await askAgent(asking, keyring, build);
    });
    await row.set({ state: 'running', revision: 1 }).execute();
    const { commands } = await agent.work(0);
    const body = commandBody.parse(commands.find((one) => one.id === id)?.body);
    return { id, body };
  }

  /** The longest since it was asked for last. */
  async function lag(): Promise<number> {
    const authorization = `Bearer ${readFileSync(metricsToken, 'utf8').trim()}`;
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
    const [, value] = /^ballast_api_nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Number(value) * 1_000;
  }

  async function followed(followers: number): Promise<Figures> {
    const { id, body } = await running();
    const headers = Array.from({ length: followers }, (_, index) => bearer(tokens[index % tokens.length] ?? ''));
    await using clients = await startClients<SeenByFollowers>('bench/subjects/build-log/readers-program.ts', {
      ...{ url: `${url}/api/v1/builds/${id}/logs/stream`, headers },
    });
    await lag();
    round += 1;
    await using program = await startClients<{ over: boolean }>('bench/subjects/build-log/agent-program.ts', {
      ...{ url, credential: agent.credential, incarnation: agent.incarnation, id, body, secrets, perSecond, seconds },
      directory: ground.file(`journal-${round}`),
    } as BuildingAgent);
    let seen = await clients.report();
    for (let waited = 0; seen.lines.some((told) => told < count); waited += 1) {
      if (seen.failures.length > 0) throw new Error(`Readers failed: ${seen.failures.slice(0, 5).join('; ')}`);
      if (waited > seconds + patience) throw new Error(`Lines are missing: ${seen.lines.join(', ')} of ${count}.`);
      await pause(1_000);
      seen = await clients.report();
    }
    await program.report();
    const sorted = seen.took.toSorted((one, other) => one - other);
    const { rows: found } = await sql<{ kept: number }>`
      select count(*)::int as kept from build_log_chunk where organization_id = ${organizationId} and build_id = ${id}
    `.execute(database.kysely);
    return {
      [rows.p99]: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      [rows.lag]: await lag(),
      [rows.rows]: (found[0]?.kept ?? 0) / (count / perSecond),
    };
  }
  return {
    reference: async () => ({ ...(await followed(1)), [rows.mask]: cpuOfLines(maskOf([])) }),
    subject: async () => ({ ...(await followed(readers)), [rows.mask]: cpuOfLines(maskOf(secrets)) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** In chunks as pipes bring them; the second time, when it is compiled. */
function cpuOfLines(mask: Mask): number {
  cpuOnce(mask);
  return cpuOnce(mask);
}

function cpuOnce(mask: Mask): number {
  const text = Array.from({ length: count }, (_, number) => `${lineOf(number + 1, 0)}\n`).join('');
  const bytes = Buffer.from(text);
  const folder = new LineFolder(mask);
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 65_536) folder.take(bytes.subarray(at, at + 65_536));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (count / perSecond);
}
