import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboundRules } from '../../../../outbound/rules.ts';
import type { BuildBody } from '../../../../protocol/build.ts';
import { Engine } from '../../../drivers/docker/engine.ts';
import { type BuilderSettings, builderLabel, nameOf, removeContainer, removeVolume } from './container.ts';
import { OfferedImages } from './offered-images.ts';
import { OrganizationBuilder } from './organization-builder.ts';

/** The secret of an agent's builds; its first part names what is its own in the engine, and opens nothing. */
export function secretFile(home: string): string {
  return join(home, 'docker', 'builds');
}

export function homeIdOf(secret: string): string {
  return secret.slice(0, 16);
}

/** Where an agent has the settings of its builders. */
function buildersIn(home: string): string {
  return join(home, 'docker', 'builders');
}

/** Ends the builders of an agent, with all commands of its builds. */
async function removeContainers(engine: Engine, homeId: string): Promise<void> {
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

interface Parts extends BuilderSettings {
  home: string;
  homeId: string;
  engine: Engine;
  outbound: OutboundRules;
  idleMillis?: number | undefined;
}

const usualIdleMillis = 300_000;
/** An organization that has not built for so long begins without caches. */
const keptMillis = 14 * 86_400_000;

/** The builders of an agent: one for each organization that builds here. */
export class OrganizationBuilders {
  readonly #parts: Parts;
  readonly #folder: string;
  readonly images: OfferedImages;
  readonly #builders = new Map<string, OrganizationBuilder>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#folder = buildersIn(parts.home);
    this.images = new OfferedImages(parts.engine, join(parts.home, 'docker', 'base-images'));
  }

  of(body: Pick<BuildBody, 'organizationId' | 'repository'>): OrganizationBuilder {
    const key = keyOf(body);
    let found = this.#builders.get(key);
    if (found === undefined) {
      const { homeId, idleMillis = usualIdleMillis, ...parts } = this.#parts;
      const name = { homeId, key, folder: join(this.#folder, key) };
      found = new OrganizationBuilder(name, { ...parts, idleMillis, images: this.images });
      this.#builders.set(key, found);
    }
    return found;
  }

  /** Ends what an agent that was killed has left, with all commands of its builds. Caches stay. */
  async clear(): Promise<void> {
    await removeContainers(this.#parts.engine, this.#parts.homeId);
    await this.removeUnused();
  }

  /** Deletes the caches of organizations that build here no more. */
  async removeUnused(): Promise<void> {
    const { engine, homeId } = this.#parts;
    const used = Date.now() - keptMillis;
    for (const key of existsSync(this.#folder) ? readdirSync(this.#folder) : []) {
      const folder = join(this.#folder, key);
      if (statSync(folder).mtimeMs >= used || this.#builders.get(key)?.idle === false) continue;
      await this.#builders.get(key)?.stop();
      await removeVolume(engine, nameOf({ homeId, key, folder }));
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** A control plane that names no organization has it in the repository, whose first part is its slug. */
function keyOf({ organizationId, repository }: Pick<BuildBody, 'organizationId' | 'repository'>): string {
  const organization = organizationId ?? repository.split('/')[0] ?? '';
  return createHash('sha256').update(organization).digest('hex').slice(0, 16);
}
