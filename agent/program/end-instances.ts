import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseDriver } from '../drivers/choose-driver.ts';
import { Ingress } from '../ingress/ingress.ts';
import { lineLog } from './log.ts';

export const usualDockerSocket = '/var/run/docker.sock';

/** Ends everything that runs here for an agent that does not run any more, and its ingress. Volumes stay. Answers how many it were. */
export async function endInstances(home: string, dockerSocket = usualDockerSocket): Promise<number> {
  const driver = await chooseDriver(lastDriver(home), { home, socket: dockerSocket, log: lineLog });
  const instances = await driver.list();
  await Promise.all(instances.map(({ id, process }) => driver.stop(id, Math.min(10, process.drainSeconds))));
  for (const { id } of instances) await driver.remove(id);
  const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program: [process.execPath], log: lineLog });
  await ingress.stop();
  return instances.filter(({ state }) => state === 'running').length;
}

/** What the last agent was told to use, or found out by itself. */
function lastDriver(home: string): string {
  const path = join(home, 'run', 'status.json');
  if (!existsSync(path)) return 'process';
  const { driver = 'process' }: { driver?: string } = JSON.parse(readFileSync(path, 'utf8'));
  return driver;
}
