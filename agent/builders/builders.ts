import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificatesIn, type OutboundRules } from '../../outbound/rules.ts';
import type { Facts } from '../../protocol/agent.ts';
import type { BuildBody } from '../../protocol/build.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Client } from '../link/client.ts';
import { Refusal } from '../program/refusal.ts';
import { build } from './build.ts';
import { maskOfBuild } from './build-log.ts';
import type { BuildSettings } from './build-settings.ts';
import { type BuildLimits, linesOfLimits, withinMachine } from './build-settings.ts';
import { BuildCaches } from './caches.ts';
import type { DockerBuilder } from './docker/docker-builder.ts';
import { BaseLayer } from './image/layers.ts';
import { trustOfMachine } from './sandbox/network.ts';
import { endSandboxLeftovers, openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { Toolbox } from './tools/toolbox.ts';
import { removeWorkFolders } from './work-folder.ts';

const registry = 'https://registry.npmjs.org';
const certificatesAt = '/opt/certificates';
/** Builds are under the rules of their machine's agent. */
export const allowedBy =
  'the owner of the cluster can allow it by --build-allowed-ranges of its agent, on the local cluster by OUTBOUND_ALLOWED_RANGES';
const trustedBy = 'the owner of the cluster can add that authority to the file of --build-ca-file of its agent';
type Found = { sandbox: Sandbox } | { docker: DockerBuilder } | { why: string };

export interface BuildersOptions {
  home: string;
  client: Client;
  driver: string;
  /** Of the Docker engine. */
  socket?: string | undefined;
  settings: BuildSettings;
}

/** The builds of this machine: in a sandbox, or by the Docker engine that runs its instances. */
export class Builders {
  readonly #options: BuildersOptions;
  /** Where instances are containers, their images are built by the same engine. */
  #docker: Promise<DockerBuilder> | undefined;
  #forGit: ReturnType<typeof openSandbox> | undefined;
  readonly #caches: BuildCaches;
  readonly #toolbox: Toolbox;
  readonly #base: BaseLayer;
  readonly #outbound: OutboundRules;
  #opened: Promise<Found> | undefined;

  constructor(options: BuildersOptions) {
    const { home, settings } = options;
    this.#options = options;
    const { allowedRanges, caFile } = settings;
    const trusted = caFile === undefined ? '' : certificatesIn(readFileSync(caFile, 'utf8')).join('\n');
    this.#outbound = { allowedRanges, allowedBy, trustedBy, certificateAuthorities: trusted };
    this.#caches = new BuildCaches(home, settings.cacheBytes);
    const mirror = settings.environment.npm_config_registry ?? registry;
    this.#toolbox = new Toolbox({ home, outbound: this.#outbound, registry: mirror });
    this.#base = new BaseLayer(home);
  }

  /** Ends what an agent that was killed has left, and looks what this machine allows. Done once; a failure is tried again. */
  async open(): Promise<Found> {
    this.#opened ??= this.#open();
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  /** Whether images are built here. */
  async holds(): Promise<NonNullable<Facts['holds']['builds']>> {
    try {
      const found = await this.open();
      return 'why' in found ? { holds: false, why: found.why } : { holds: true };
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const why = this.#options.driver === 'docker' ? said : `What an earlier build left cannot be cleared: ${said}`;
      return { holds: false, why };
    }
  }

  /** The most that a build may take here; undefined where nothing is built. */
  async most(): Promise<BuildLimits | undefined> {
    const found = await this.open().catch(() => undefined);
    return found === undefined || 'why' in found ? undefined : this.#options.settings.limits;
  }

  /** Whether commands of builds are limited; undefined where nothing is built, and for sandboxes, which always limit theirs. */
  async limits(): Promise<Facts['holds']['buildLimits']> {
    const found = await this.open().catch(() => undefined);
    return found !== undefined && 'docker' in found ? found.docker.limits() : undefined;
  }

  async build(asked: BuildBody, run: Run): Promise<RunResult> {
    const found = await this.open();
    if ('why' in found) return { outcome: 'failed', message: found.why };
    const { home, client, settings } = this.#options;
    const body = withinMachine(asked, settings.limits);
    const limits = linesOfLimits(asked, body);
    const mask = maskOfBuild(body, settings.environment);
    if ('docker' in found)
      return await found.docker.build(body, run, {
        ...this.#trust(),
        sandbox: () => this.#sandboxForGit(),
        mask,
        limits,
      });
    const own = { caches: this.#caches, toolbox: this.#toolbox, base: this.#base, sandbox: found.sandbox };
    return await build(body, run, { home, client, ...own, ...this.#trust(), mask, limits });
  }

  #trust() {
    const { home, settings } = this.#options;
    const { caFile, environment } = settings;
    if (caFile === undefined) return { environment, mounts: [] };
    const directory = join(home, 'build-certificates');
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    copyFileSync(caFile, join(directory, 'ca.pem'));
    // Node adds a file to those that it trusts; others take one in their place.
    const { SSL_CERT_FILE: usual } = trustOfMachine();
    const all = [...(usual === undefined ? [] : [usual]), caFile].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(join(directory, 'all.pem'), all.join('\n'), { mode: 0o644 });
    const whole = `${certificatesAt}/all.pem`;
    const own = {
      NODE_EXTRA_CA_CERTS: `${certificatesAt}/ca.pem`,
      SSL_CERT_FILE: whole,
      REQUESTS_CA_BUNDLE: whole,
    };
    const trusted = { ...own, ...environment };
    return { environment: trusted, mounts: [{ at: certificatesAt, directory }] };
  }

  async #open(): Promise<Found> {
    const { home, driver, socket } = this.#options;
    if (driver === 'docker' && socket !== undefined) return await this.#openDocker(socket);
    if (driver !== 'process') return { why: `Images are not built by the driver ${driver}.` };
    await endSandboxLeftovers(home);
    await removeWorkFolders(home);
    await this.#toolbox.sweep();
    return await openSandbox({ home, outbound: this.#outbound });
  }

  async #sandboxForGit(): Promise<Sandbox> {
    const { home } = this.#options;
    this.#forGit ??= openSandbox({ home, outbound: this.#outbound });
    const found = await this.#forGit;
    if ('why' in found)
      throw new Refusal(`Commits are fetched in a sandbox, also where an engine builds. ${found.why}`);
    return found.sandbox;
  }

  /** The client of the engine is loaded where there is one. */
  async #openDocker(socket: string): Promise<Found> {
    const { home, client, settings } = this.#options;
    this.#docker ??= import('./docker/docker-builder.ts').then(
      ({ DockerBuilder }) => new DockerBuilder({ home, client, socket, settings, outbound: this.#outbound }),
    );
    const docker = await this.#docker;
    await endSandboxLeftovers(home);
    const why = await docker.open();
    return why === undefined ? { docker } : { why };
  }
}
