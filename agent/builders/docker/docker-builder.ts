import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../../machine/files.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import type { BuildBody } from '../../../protocol/build.ts';
import type { Run, RunResult } from '../../commands/run.ts';
import { Engine } from '../../drivers/docker/engine.ts';
import type { Client } from '../../link/client.ts';
import type { BuildSettings } from '../build-settings.ts';
import { removeWorkFolders } from '../work-folder.ts';
import { homeIdOf, OrganizationBuilders, secretFile } from './builder/builders.ts';
import { reasonAgainst } from './builder/engine-images.ts';
import { reasonAgainstEntering } from './builder/way-out.ts';
import { reasonAgainstLimits } from './commands/executions.ts';
import { type DockerBuildParts, dockerBuild } from './docker-build.ts';

type PartsOfBuild = Pick<DockerBuildParts, 'environment' | 'mounts' | 'sandbox' | 'mask' | 'limits'>;

interface Options {
  home: string;
  client: Client;
  socket: string;
  settings: BuildSettings;
  outbound: OutboundRules;
}

/** Builds images by a BuildKit for each organization, in a container of a Docker engine. */
export class DockerBuilder {
  readonly #options: Options;
  readonly #engine: Engine;
  #builders: OrganizationBuilders | undefined;
  #secret: string | undefined;
  /** Why commands of builds have no limits but those of their container, if that is so. */
  #unlimited: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#engine = new Engine(options.socket);
  }

  /** Takes away what an agent that was killed has left. Answers why nothing is built here, if that is so. */
  async open(): Promise<string | undefined> {
    const why = reasonAgainstEntering() ?? (await reasonAgainst(this.#engine));
    if (why !== undefined) return why;
    this.#unlimited = reasonAgainstLimits();
    await removeWorkFolders(this.#options.home);
    await this.#all().clear();
    return undefined;
  }

  async build(body: BuildBody, run: Run, given: PartsOfBuild): Promise<RunResult> {
    const { home, client, settings } = this.#options;
    const own = { engine: this.#engine, homeId: this.#homeId(), cacheSecret: this.#key().slice(16) };
    const { baseImages: bases, caFile, environment: ofAgent } = settings;
    const builders = this.#all();
    const limited = this.#unlimited === undefined;
    try {
      return await dockerBuild(body, run, {
        home,
        client,
        ...own,
        bases,
        caFile,
        ofAgent,
        builders,
        limited,
        ...given,
      });
    } finally {
      // The next build does what this one could not.
      await builders.removeUnused().catch(() => undefined);
    }
  }

  /** Whether memory, processes and disk of commands are limited here. */
  limits(): { holds: boolean; why?: string } {
    return this.#unlimited === undefined ? { holds: true } : { holds: false, why: this.#unlimited };
  }

  #all(): OrganizationBuilders {
    const { home, settings, outbound } = this.#options;
    const { builderImage: image, cacheBytes, caFile } = settings;
    const own = { home, homeId: this.#homeId(), engine: this.#engine, outbound };
    this.#builders ??= new OrganizationBuilders({ ...own, image, cacheBytes, caFile });
    return this.#builders;
  }

  /** On containers of the engine: it says whose they are, and opens nothing. */
  #homeId(): string {
    return homeIdOf(this.#key());
  }

  #key(): string {
    const file = secretFile(this.#options.home);
    if (this.#secret === undefined && !existsSync(file)) {
      mkdirSync(join(this.#options.home, 'docker'), { recursive: true, mode: 0o700 });
      writeFileAtomically(file, randomBytes(48).toString('hex'));
    }
    this.#secret ??= readFileSync(file, 'utf8').trim();
    return this.#secret;
  }
}
