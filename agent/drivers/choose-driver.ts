import type { Log } from '../program/log.ts';
import { Refusal } from '../program/refusal.ts';
import type { Driver } from './driver.ts';

/** The driver by its name; `auto` is Docker if its engine answers. Only the one that is chosen is loaded. */
export async function chooseDriver(
  wanted: string,
  options: { home: string; socket: string; log: Log },
): Promise<Driver> {
  if (wanted !== 'auto' && wanted !== 'process' && wanted !== 'docker') {
    throw new Refusal(`There is no driver "${wanted}"; choose auto, process or docker.`);
  }
  const { home, socket, log } = options;
  if (wanted !== 'process') {
    const { dockerDriver, engineAnswers } = await import('./docker/docker-driver.ts');
    if (wanted === 'docker' || (await engineAnswers(socket))) return dockerDriver({ home, socket, log });
  }
  const { processDriver } = await import('./process/process-driver.ts');
  return processDriver({ home, log });
}
