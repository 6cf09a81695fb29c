import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObservedSlice } from '../../protocol/observed.ts';
import { observedSlice, PeerAgent } from '../agents/peer-agent.ts';
import type { Organization } from '../api/client.ts';
import { atTerminal, type Terminal } from '../applications/terminal.ts';
import { CommandHost, type Ended } from '../commands/command-host.ts';
import { bareEnvironment } from '../ground/bare-environment.ts';
import { type RunningApi, runningApi } from '../installation/running-api.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** The workload "shop" as `cluster apply` reads it. */
export const shopFile = `
workloads:
  - name: shop
    image: { layout: /srv/shop }
    processes: [{ name: web, kind: http, port: 8080 }]
`;

export interface JoinedCluster {
  api: RunningApi;
  ours: Organization;
  agent: PeerAgent;
  clusterId: string;
  /** Place for files of the test, removed at its end. */
  directory: string;
  /** Begins a command against the API that runs here, in a process of its own. */
  spawnBallast(words: string[], more?: Record<string, string>, cwd?: string): ChildProcessWithoutNullStreams;
  /** The same command typed at a terminal. */
  atTerminal(words: string[], cwd: string): Terminal;
  /** One command after the other, in one process (`CommandHost`). */
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
  const host = new CommandHost();
  const close = async () => {
    await host.close();
    await api.close();
    rmSync(directory, { recursive: true });
  };
  try {
    const ours = await api.organization();
    const ownToken = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
    const own = { BALLAST_HOME: join(directory, 'home'), BALLAST_URL: api.url, BALLAST_TOKEN: ownToken };
    const env = { ...bareEnvironment, ...own };
    const spawnBallast: JoinedCluster['spawnBallast'] = (words, more = {}, cwd = directory) =>
      spawn(process.execPath, [main, ...words], { cwd, env: { ...env, ...more }, stdio: ['pipe', 'pipe', 'pipe'] });
    const typed: JoinedCluster['atTerminal'] = (words, cwd) =>
      atTerminal([process.execPath, main, ...words], { cwd, env });
    const ballast: JoinedCluster['ballast'] = (words, { env: more = {}, cwd = directory, input = '' } = {}) =>
      host.run({ words, env: { ...env, ...more }, cwd, input });
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
