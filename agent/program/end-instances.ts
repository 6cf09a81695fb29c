import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chooseDriver } from '../drivers/choose-driver.ts';
import { Ingress } from '../ingress/ingress.ts';
import { lineLog } from './log.ts';

/** Longer than any instance is given to end by itself; an engine that hangs is not waited for. */
const longest = 60_000;

export const usualDockerSocket = '/var/run/docker.sock';

export interface EndedInstances {
  ended: number;
  /** The reason why some may still be running, and what to do. */
  left?: string;
}

/**
 * Ends everything that runs here for an agent that does not run any more, and its ingress, whatever becomes of the rest.
 * Volumes stay. `caches`: those of builds in an engine go as well.
 */
export async function endInstances(
  home: string,
  /** Of the engine; the last agent's, if it is not said. */
  dockerSocket: string | undefined,
  { caches = false } = {},
): Promise<EndedInstances> {
  const over = new AbortController();
  const late = pause(longest, undefined, { signal: over.signal }).then(() => {
    throw new Error(`The driver did not end them within ${longest / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return { ended: await Promise.race([endAll(home, dockerSocket, caches), late]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ended: 0, left: `The instances could not be ended: ${why}` };
  } finally {
    over.abort();
    const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program: [process.execPath], log: lineLog });
    await ingress.stop();
  }
}

async function endAll(home: string, saidSocket: string | undefined, caches: boolean): Promise<number> {
  const last = lastDriver(home);
  const dockerSocket = saidSocket ?? last.dockerSocket ?? usualDockerSocket;
  const driver = await chooseDriver(last.driver, { home, socket: dockerSocket, log: lineLog });
  const instances = await driver.list();
  await Promise.all(instances.map(({ id, process }) => driver.stop(id, Math.min(10, process.drainSeconds))));
  for (const { id } of instances) await driver.remove(id);
  if (driver.name === 'docker') {
    const { endBuilders } = await import('../builders/docker/builder/end-builders.ts');
    await endBuilders(home, dockerSocket, { caches });
  }
  return instances.filter(({ state }) => state === 'running').length;
}

/** The driver that the last agent was told to use, or chose by itself, and the engine that it spoke to. */
function lastDriver(home: string): { driver: string; dockerSocket?: string } {
  const path = join(home, 'run', 'status.json');
  if (!existsSync(path)) return { driver: 'process' };
  const { driver = 'process', dockerSocket }: { driver?: string; dockerSocket?: string } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  return { driver, ...(dockerSocket === undefined ? {} : { dockerSocket }) };
}
