import { freePorts } from '../../runtime/sockets/ports.ts';
import { answers, type NodeProcess, startNode } from '../engine/node-process.ts';
import { writeBareBundle } from '../reference/bare-bundle.ts';
import type { Ground } from './ground.ts';

export interface Server extends NodeProcess {
  url: string;
}

/** The request that is repeated until the server answers: then the server is ready. */
export interface Target {
  path: string;
  headers: Record<string, string>;
}

/** The settings that the entry script (cli/enter.mjs) gives each process of ours. */
export const tuned = { NODE_OPTIONS: '--max-semi-space-size=8', MALLOC_ARENA_MAX: '2' };

/** The load comes from one address, and the limits are not what is measured. */
const unlimited = { RATE_LIMIT_PER_MINUTE: '10000000', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '10000000' };

/** The API as `./ballast up` runs it, its log included. */
export function startApi(ground: Ground, target: Target, env: Record<string, string> = {}): Promise<Server> {
  return start(ground, 'api', 'api/main.ts', target, { ...tuned, ...unlimited, ...env });
}

export function startReference(
  ground: Ground,
  name: 'environment' | 'reads' | 'starts',
  target: Target,
): Promise<Server> {
  const env = { CURSOR_KEY: ground.keyring.cursorKey().toString('hex') };
  return start(ground, `reference-${name}`, `bench/reference/${name}.ts`, target, env);
}

/** The worker as `./ballast up` runs it. */
export async function startWorker(ground: Ground): Promise<NodeProcess> {
  return await startWorkerOf(ground, 'worker', 'worker/main.ts', '/readyz', tuned);
}

/** The least of a worker, with a bundle of its workflows. */
export async function startBareWorker(ground: Ground): Promise<NodeProcess> {
  const bundle = ground.file('bare-bundle.js');
  await writeBareBundle(bundle);
  return await startWorkerOf(ground, 'bare-worker', 'bench/reference/worker.ts', '/', { BUNDLE: bundle });
}

async function startWorkerOf(
  ground: Ground,
  name: string,
  file: string,
  path: string,
  env: Record<string, string>,
): Promise<NodeProcess> {
  const { port } = await freePorts(['port'], {});
  return await startNode({
    file,
    env: { ...ground.env, ...env, WORKER_PORT: String(port) },
    log: ground.file(`${name}.log`),
    ready: () => answers(`http://127.0.0.1:${port}${path}`),
  });
}

async function start(
  ground: Ground,
  name: string,
  file: string,
  { path, headers }: Target,
  env: Record<string, string>,
): Promise<Server> {
  const { port } = await freePorts(['port'], {});
  const url = `http://127.0.0.1:${port}`;
  const running = await startNode({
    file,
    env: { ...ground.env, ...env, PORT: String(port) },
    log: ground.file(`${name}.log`),
    ready: () => answers(`${url}${path}`, headers),
  });
  return { ...running, url };
}
