import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DockerEngine, dockerEngine } from '../../../test/agents/docker-engine.ts';
import { freePort } from '../../../test/ground/free-port.ts';
import { sampleLayout, sampleProgram } from '../../../test/images/sample-image.ts';
import { runBallast } from '../../../test/installation/ballast-command.ts';
import { Installation } from '../../../test/installation/installation.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { end, surroundings } from '../../engine/node-process.ts';

const megabytes = 50;
const delay = 1_000;
const parts = ['command', 'prepare', 'start', 'check', 'switch'] as const;
type Part = (typeof parts)[number];

const names = {
  total: 'one command from an image of 50 MB to an answering address',
  command: 'of it the command itself: start, push, stage and apply',
  prepare: 'of it the agent: fetch and unpack',
  start: 'of it the start, where the application takes 1 s',
  check: 'of it the stabilisation, 5 s by default',
  switch: 'of it queue, switch and drain',
} as const;

type Driver = 'process' | 'docker';

/**
 * The image is another one in each round, so that neither registry nor agent has its bytes. The reference is the application alone,
 * started as a process until it answers: of what is beyond that, five seconds are the default stabilisation.
 */
export const deploys: readonly Benchmark[] = [deploying('process'), ...(hasEngine() ? [deploying('docker')] : [])];

/** As root only: the engine is one of its own. */
function hasEngine(): boolean {
  return process.getuid?.() === 0 && spawnSync('dockerd', ['--version']).status === 0;
}

function deploying(driver: Driver): Benchmark {
  const row = (name: string, most: number) => ({ name, unit: 's', better: 'less', mostBeside: () => most }) as const;
  return {
    name: `deploy-${driver}`,
    what: `from an image of ${megabytes} MB to an answering address by one command, driver ${driver}`,
    rows: [row(names.total, 20), ...parts.map((part) => row(names[part], 20))],
    rounds: 3,
    open: () => open(driver),
  };
}

async function open(driver: Driver): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const engine: DockerEngine | undefined = driver === 'docker' ? await dockerEngine() : undefined;
  opening.defer(() => engine?.stop());
  const ingressPort = await freePort();
  const installation = await Installation.start(`bench-deploy-${driver}`, {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: driver, INGRESS_PORT: String(ingressPort) },
    ...(engine === undefined ? {} : { LOCAL_DOCKER_SOCKET: engine.socket }),
  });
  opening.defer(() => installation.remove());
  const { token } = await installation.token('admin');
  const directory = mkdtempSync(join(tmpdir(), 'ballast-bench-image-'));
  opening.defer(async () => rmSync(directory, { recursive: true }));
  const settings = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  const opened = opening.move();
  return {
    reference: async () => {
      const total = await applicationAlone();
      return { ...Object.fromEntries(parts.map((part) => [names[part], 0])), [names.total]: total };
    },
    async subject(round) {
      const options = { hostBound: driver === 'process', extraBytes: megabytes * 1_000_000 };
      const words = ['-delay', String(delay)];
      const { layout } = await sampleLayout(join(directory, `round-${round}`), { ...options, command: words });
      const began = performance.now();
      const project = ['--project', `round-${round}`];
      const { code, stdout, stderr } = await runBallast(
        ['deploy', layout, ...project, '--yes', '--json'],
        settings,
        undefined,
        directory,
      );
      if (code !== 0) throw new Error(`The deployment ended with ${code}: ${stderr}`);
      const { deployments, addresses } = JSON.parse(stdout);
      await answers(new URL(addresses[0]));
      return figuresOf((performance.now() - began) / 1000, deployments[0].stages);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function figuresOf(total: number, stages: { stage: string; startedAt: string; endedAt: string }[]): Figures {
  const spent = (...wanted: string[]) =>
    stages
      .filter(({ stage }) => wanted.includes(stage))
      .reduce((sum, { startedAt, endedAt }) => sum + (Date.parse(endedAt) - Date.parse(startedAt)) / 1000, 0);
  const of: Record<Exclude<Part, 'command'>, number> = {
    ...{ prepare: spent('prepare'), start: spent('start'), check: spent('check') },
    switch: spent('queue', 'switch', 'drain'),
  };
  const rest = total - Object.values(of).reduce((sum, one) => sum + one, 0);
  return {
    [names.total]: total,
    [names.command]: rest,
    ...Object.fromEntries(Object.entries(of).map(([part, figure]) => [names[part as Part], figure])),
  };
}

async function applicationAlone(): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const env = { ...surroundings(), PORT: String(port) };
  const child = spawn(await sampleProgram(), ['-delay', String(delay)], { env, stdio: 'ignore' });
  try {
    await answers(new URL(`http://127.0.0.1:${port}`));
    return (performance.now() - began) / 1000;
  } finally {
    await end(child);
  }
}

/** By the loopback: names beneath localhost are not known to every resolver. */
async function answers({ port, host }: URL): Promise<void> {
  const asked = (): Promise<boolean> =>
    new Promise((resolve) => {
      get({ host: '127.0.0.1', port, headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      }).once('error', () => resolve(false));
    });
  while (!(await asked())) await new Promise((resolve) => setTimeout(resolve, 10));
}
