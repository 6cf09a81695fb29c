import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, undoing } from '../../machine/test-ground.ts';
import { workload } from '../../protocol/workload.ts';
import { agentPeer } from '../../test/agents/agent-peer.ts';
import { agentHome } from '../../test/agents/installed-agent.ts';
import { pathThief } from '../../test/attacks/path-thief.ts';
import { portThief } from '../../test/attacks/port-thief.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { sampleLayout } from '../../test/images/sample-image.ts';
import { IngressFiles } from '../ingress/ingress-files.ts';

const undo = undoing();

/** The local agent as the supervisor starts it, and a control plane at its socket that is not there yet. */
async function localAgent() {
  const run = temporaryFolder();
  const socket = join(run, 'api.sock');
  const peer = await agentPeer(socket);
  await peer.stop();
  const home = agentHome();
  undo.push(() => home.close());
  chmodSync(home.path, 0o755);
  const path = join(home.path, 'agent');
  const tokenFile = join(home.path, 'token');
  writeFileSync(tokenFile, peer.token);
  const port = await freePort();
  const said: string[] = [];
  let child: ChildProcess;
  const program = join(import.meta.dirname, '..', 'main.ts');
  const place = ['--home', path, '--url', 'http://localhost', '--socket', socket, '--token-file', tokenFile];
  const options = ['--driver', 'process', '--ingress-port', String(port)];
  return {
    ...{ run, socket, peer, port, said },
    files: () => new IngressFiles(join(path, 'ingress')),
    layout: () => sampleLayout(join(home.path, 'layout')),
    start() {
      child = spawn(process.execPath, [program, 'agent', 'run', ...place, ...options], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr?.on('data', (bytes: Buffer) => said.push(String(bytes)));
    },
    async end(signal: NodeJS.Signals) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

// Without root the thief would be the owner of everything.
describe.runIf(process.getuid?.() === 0)('a program of another user', () => {
  test('gets no socket and no port of a local agent that starts, is killed and is restarted, and whose API is', async () => {
    const agent = await localAgent();
    const { peer, socket, port } = agent;
    const { layout } = await agent.layout();
    const described = { release: 'one', image: { layout }, processes: [{ name: 'web', kind: 'worker' }] };
    peer.desired = {
      ...{ revision: 1, broken: [], removed: [] },
      slices: [{ key: 'sample', revision: 1, workload: workload.parse(described) }],
    };
    const thief = await pathThief([socket]);
    undo.push(() => thief.end());
    agent.start();
    // The agent is at work before its API: it asks again and again, and nobody else may answer.
    await until('it has asked in vain', async () => agent.said.join('').includes('cannot be reached'));
    await peer.listen();
    const runs = () =>
      peer.reports
        .findLast(({ slices }) => slices.length > 0)
        ?.slices[0]?.instances.some(({ state }) => state === 'running');
    await until('an instance runs', async () => runs());
    const serving = agent.files().serving();
    const pids = Array.from({ length: 200 }, (_, ahead) => (serving?.pid ?? 0) + ahead);
    const controls = await pathThief(pids.map((pid) => join(agent.files().directory, `control-${pid}.sock`)));
    undo.push(() => controls.end());
    const ports = await portThief([port]);
    undo.push(() => ports.end());

    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const before = peer.hellos.length;
      await peer.stop();
      await agent.end(signal);
      agent.start();
      agent.said.length = 0;
      await until('it has asked in vain', async () => agent.said.join('').includes('cannot be reached'));
      await peer.listen();
      await until('it is back', async () => peer.hellos.length > before);
      // Instances and ingress went on meanwhile.
      expect(agent.files().serving()).toEqual(serving);
    }
    for (const one of [thief, controls]) {
      expect({ got: one.got(), reached: one.reached(), heard: one.heard() }).toEqual({
        got: [],
        reached: [],
        heard: [],
      });
    }
    // Not an address of the ingress.
    expect(ports.got().filter((name) => name !== `::1 ${port}`)).toEqual([]);
  });

  test('is told nothing by an agent at the path of a directory that a cleaner of temporary files has removed', async () => {
    const agent = await localAgent();
    const { peer, run, socket } = agent;
    await peer.listen();
    agent.start();
    await until('it is connected', async () => peer.heartbeats.length > 0);
    await peer.stop();
    rmSync(run, { recursive: true });
    const thief = await pathThief([socket]);
    undo.push(() => thief.end());
    await until('the thief has the path', async () => thief.got().length > 0);
    const refused = `${run} is not a directory that only we can enter`;
    const refuses = () => until('it speaks to nobody', async () => agent.said.join('').includes(refused));
    await refuses();
    await agent.end('SIGKILL');
    agent.said.length = 0;
    agent.start();
    await refuses();
    expect(thief.heard()).toEqual([]);

    // As the next start of the installation makes it.
    await thief.end();
    rmSync(dirname(socket), { recursive: true });
    mkdirSync(run, { mode: 0o700 });
    const before = peer.hellos.length;
    await peer.listen();
    await until('it is back', async () => peer.hellos.length > before);
  });
});
