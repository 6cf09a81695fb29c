import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../../machine/files.ts';
import type { BuildBody } from '../../../protocol/build.ts';
import type { Run, RunResult } from '../../commands/run.ts';
import { Engine } from '../../drivers/docker/engine.ts';
import type { Client } from '../../link/client.ts';
import type { BuildSettings } from '../build-settings.ts';
import { removeWorkFolders } from '../work-folder.ts';
import { endCommands } from './commands/end-commands.ts';
import { executionsIn, reasonAgainstLimits } from './commands/executions.ts';
import { ofHome } from './commands/marker.ts';
import { type DockerBuildParts, dockerBuild } from './docker-build.ts';
import { dataRootOf, pruneCache, reasonAgainst, removeLeftImages } from './engine/engine-images.ts';
import { openSession } from './session/session.ts';

type Given = Pick<DockerBuildParts, 'environment' | 'mounts' | 'sandbox' | 'mask'>;

/** Builds images by the BuildKit of a Docker engine. */
export class DockerBuilder {
  readonly #options: { home: string; client: Client; settings: BuildSettings };
  readonly #engine: Engine;
  #secret: string | undefined;
  #running = 0;
  #executions: string | undefined;
  /** Why commands of builds have no limits but those of the engine, if that is so. */
  #unlimited: string | undefined;

  constructor(options: { home: string; client: Client; socket: string; settings: BuildSettings }) {
    this.#options = options;
    this.#engine = new Engine(options.socket);
  }

  /** Takes away what an agent that was killed has left. Answers why nothing is built here, if that is so. */
  async open(): Promise<string | undefined> {
    const why = await reasonAgainst(this.#engine);
    if (why !== undefined) return why;
    const signal = AbortSignal.timeout(10_000);
    const session = await openSession(this.#engine.socket, {}, signal);
    session.close();
    const dataRoot = await dataRootOf(this.#engine);
    this.#unlimited = reasonAgainstLimits(dataRoot);
    this.#executions = this.#unlimited === undefined ? executionsIn(dataRoot) : undefined;
    await this.#endCommands(0);
    await removeWorkFolders(this.#options.home);
    await removeLeftImages(this.#engine, this.#homeId());
    return undefined;
  }

  async build(body: BuildBody, run: Run, given: Given): Promise<RunResult> {
    const { home, client, settings } = this.#options;
    const own = { engine: this.#engine, homeId: this.#homeId(), cacheSecret: this.#key().slice(16) };
    const { baseImages: bases, caFile, environment: ofAgent } = settings;
    const executions = this.#executions;
    this.#running += 1;
    try {
      return await dockerBuild(body, run, { home, client, ...own, bases, caFile, ofAgent, executions, ...given });
    } finally {
      this.#running -= 1;
      // Two builds may share a command.
      if (this.#running === 0) await this.#endCommands();
      // The next build prunes what this one could not.
      await pruneCache(this.#engine, settings.cacheBytes).catch(() => undefined);
    }
  }

  /** Whether memory, processes and disk of commands are limited here. */
  limits(): { holds: boolean; why?: string } {
    return this.#unlimited === undefined ? { holds: true } : { holds: false, why: this.#unlimited };
  }

  async #endCommands(patience?: number): Promise<void> {
    if (this.#executions !== undefined) await endCommands(this.#executions, ofHome(this.#homeId()), patience);
  }

  /** On images of the engine: it says whose they are, and opens nothing. */
  #homeId(): string {
    return this.#key().slice(0, 16);
  }

  #key(): string {
    const file = join(this.#options.home, 'docker', 'builds');
    if (this.#secret === undefined && !existsSync(file)) {
      mkdirSync(join(this.#options.home, 'docker'), { recursive: true, mode: 0o700 });
      writeFileAtomically(file, randomBytes(48).toString('hex'));
    }
    this.#secret ??= readFileSync(file, 'utf8').trim();
    return this.#secret;
  }
}
