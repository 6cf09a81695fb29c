import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bundle, makeBundle } from '../../../agent/bundle/make-bundle.ts';
import { shortDigest, unpackBundle } from '../../../agent/update/download.ts';
import { workload } from '../../../protocol/workload.ts';
import { agentPeer } from '../../agents/agent-peer.ts';
import { dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { agentHome } from '../../agents/installed-agent.ts';
import { until } from '../../ground/until.ts';
import { sampleLayout } from '../../images/sample-image.ts';

/** The drivers' contract runs on the sources; people get the bundle. This is the bundle, with each driver once. */
let bundle: Bundle;
beforeAll(async () => {
  bundle = await makeBundle();
});

/** Starts the bundled agent and has it run one instance; answers what it told of itself. */
async function shippedAgent(driver: string, socket: string) {
  const peer = await agentPeer();
  const home = agentHome();
  const said: string[] = [];
  try {
    chmodSync(home.path, 0o755);
    const { layout } = await sampleLayout(join(home.path, 'layout'), { hostBound: driver === 'process' });
    const described = { release: 'one', image: { layout }, processes: [{ name: 'web', kind: 'worker' }] };
    const slice = { key: 'sample', revision: 1, workload: workload.parse(described) };
    peer.desired = { revision: 1, slices: [slice], broken: [], removed: [] };
    const directory = join(home.path, shortDigest(bundle.digest));
    const packed = join(home.path, 'bundle');
    writeFileSync(packed, bundle.bytes);
    await unpackBundle(packed, directory, bundle.digest);
    const tokenFile = join(home.path, 'token');
    writeFileSync(tokenFile, peer.token);
    const state = join(home.path, 'agent');
    mkdirSync(state);
    const options = ['--home', state, '--url', peer.url, '--token-file', tokenFile, '--driver', driver];
    const agent = spawn(
      join(directory, 'ballast'),
      ['agent', 'run', ...options, '--docker-socket', socket, '--ingress-port', '0'],
      { env: { PATH: process.env.PATH, BALLAST_NODE: process.execPath }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    agent.stderr.on('data', (bytes: Buffer) => said.push(String(bytes)));
    const runs = await until(
      'an instance runs',
      async () => {
        if (agent.exitCode !== null)
          throw new Error(`The shipped agent ended with ${agent.exitCode}: ${said.join('')}`);
        const instances = peer.reports.flatMap(({ slices }) => slices).flatMap(({ instances }) => instances);
        return instances.find((one) => one.state === 'running' || one.state === 'ready');
      },
      60,
    );
    peer.desired = { revision: 2, slices: [], broken: [], removed: ['sample'] };
    await until(
      'nothing runs any more',
      async () => peer.reports.some(({ removed }) => removed.includes('sample')),
      60,
    );
    return { facts: peer.hellos[0]?.facts, runs };
  } finally {
    await home.close();
    await peer.stop();
  }
}

test('the bundle runs an instance by processes', async () => {
  const { facts, runs } = await shippedAgent('process', '/nowhere');
  expect(facts?.driver).toBe('process');
  expect(runs).toMatchObject({ process: 'web', run: 1 });
});

describe.runIf(dockerCanRun())('on a real engine', () => {
  let engine: Awaited<ReturnType<typeof dockerEngine>>;
  beforeAll(async () => {
    engine = await dockerEngine();
  });
  afterAll(() => engine?.stop());

  test('the bundle finds the engine by itself and runs an instance as a container', async () => {
    const { facts, runs } = await shippedAgent('auto', engine.socket);
    expect(facts?.driver).toBe('docker');
    expect(runs).toMatchObject({ process: 'web', run: 1 });
  });
});
