import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../../drivers/docker/engine.ts';
import { builderLabel, removeContainer, removeVolume } from './container.ts';

/** The secret of an agent's builds; its first part names what is its own in the engine, and opens nothing. */
export function secretFile(home: string): string {
  return join(home, 'docker', 'builds');
}

export function homeIdOf(secret: string): string {
  return secret.slice(0, 16);
}

/** Where an agent has the settings of its builders. */
export function buildersIn(home: string): string {
  return join(home, 'docker', 'builders');
}

/** Ends the builders of an agent, with all commands of its builds. */
export async function removeContainers(engine: Engine, homeId: string): Promise<void> {
  const containers = await engine.ask((docker) => docker.listContainers({ all: true, filters: filtersOf(homeId) }));
  for (const { Id } of containers) await removeContainer(engine, Id);
}

/** The same for an agent that does not run any more. `caches`: it does not come back, so they go as well. */
export async function endBuilders(home: string, socket: string, { caches }: { caches: boolean }): Promise<void> {
  if (!existsSync(secretFile(home))) return;
  const engine = new Engine(socket);
  const homeId = homeIdOf(readFileSync(secretFile(home), 'utf8').trim());
  await removeContainers(engine, homeId);
  if (!caches) return;
  const { Volumes } = await engine.ask((docker) => docker.listVolumes({ filters: filtersOf(homeId) }));
  for (const { Name } of Volumes ?? []) await removeVolume(engine, Name);
  rmSync(buildersIn(home), { recursive: true, force: true });
}

function filtersOf(homeId: string): { label: string[] } {
  return { label: [`${builderLabel}=${homeId}`] };
}
