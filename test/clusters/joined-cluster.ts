import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObservedSlice } from '../../protocol/observed.ts';
import { observedSlice, PeerAgent } from '../agents/peer-agent.ts';
import { atTerminal, type Terminal } from '../applications/terminal.ts';
import { bareEnvironment } from '../ground/bare-environment.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../installation/running-api.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** The workload "shop" as `cluster apply` reads it. */
export const shopFile = `
workloads:
  - name: shop
    image: { layout: /srv/shop }
    processes: [{ name: web, kind: http, port: 8080 }]
`;

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface JoinedCluster {
  api: RunningApi;
  ours: Seeded;
  agent: PeerAgent;
  clusterId: string;
  /** Place for files of the test, removed at its end. */
  directory: string;
  /** Begins a command against the API that runs here. */
  spawnBallast(words: string[], more?: Record<string, string>, cwd?: string): ChildProcessWithoutNullStreams;
  /** The same command typed at a terminal. */
  atTerminal(words: string[], cwd: string): Terminal;
  ballast(words: string[], more?: { env?: Record<string, string>; input?: string; cwd?: string }): Promise<Ended>;
  close(): Promise<void>;
}

/**
 * A cluster "Berlin" that was created by a command and that an agent has joined, and commands of its administrator. `settings`: of
 * the API.
 */
export async function joinedCluster(settings: Record<string, string> = {}): Promise<JoinedCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-cluster-'));
  const api = await runningApi({ env: settings });
  const close = async () => {
    await api.close();
    rmSync(directory, { recursive: true });
  };
  try {
    const ours = await seed(api.database);
    const ownToken = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
    const own = { BALLAST_HOME: join(directory, 'home'), BALLAST_URL: api.url, BALLAST_TOKEN: ownToken };
    const env = { ...bareEnvironment, ...own };
    const spawnBallast: JoinedCluster['spawnBallast'] = (words, more = {}, cwd = directory) =>
      spawn(process.execPath, [main, ...words], { cwd, env: { ...env, ...more }, stdio: ['pipe', 'pipe', 'pipe'] });
    const typed: JoinedCluster['atTerminal'] = (words, cwd) =>
      atTerminal([process.execPath, main, ...words], { cwd, env });
    const ballast: JoinedCluster['ballast'] = (words, more = {}) =>
      ended(spawnBallast(words, more.env, more.cwd), more.input);
    const made = await ballast(['cluster', 'create', 'Berlin', '--json']);
    const { cluster, token } = JSON.parse(made.out);
    const agent = new PeerAgent(api.url);
    await agent.join(token);
    return { api, ours, agent, clusterId: cluster.id, directory, spawnBallast, atTerminal: typed, ballast, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function ended(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ended> {
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

/** A workload as the agent reports it, with one instance that is ready. */
export function observed(name: string, more: Partial<ObservedSlice>): ObservedSlice {
  const startedAt = new Date().toISOString();
  const instance = {
    id: `web-${name}01`,
    process: 'web',
    release: 'one',
    node: 'one',
    state: 'ready' as const,
    run: 1,
    startedAt,
  };
  return observedSlice(`workload/${name}`, { instances: [instance], ...more });
}
