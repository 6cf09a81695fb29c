import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../domain/defined.ts';
import { programVersion } from '../../domain/version.ts';
import { rotate } from '../../machine/log-files.ts';
import type { Facts, HelloAnswer } from '../../protocol/agent.ts';
import type { Trust } from '../../protocol/release-proof.ts';
import type { BuildSettings } from '../builders/build-settings.ts';
import { Builders } from '../builders/builders.ts';
import { ownProgram } from '../bundle/own-program.ts';
import { Commands } from '../commands/commands.ts';
import type { Driver } from '../drivers/driver.ts';
import { Credentials } from '../home/credentials.ts';
import { machineFacts } from '../home/facts.ts';
import type { Identity } from '../home/identity.ts';
import { forgetFailures, type Status, writeStatus } from '../home/status.ts';
import { TrustFile } from '../home/trust.ts';
import { ControlPlaneAccess } from '../images/control-plane-access.ts';
import { ImageStore } from '../images/image-store.ts';
import { Ingress, type IngressOptions } from '../ingress/ingress.ts';
import { clientFor } from '../join/enrol.ts';
import { Journal } from '../journal/journal.ts';
import { Keeper } from '../keep/keeper.ts';
import type { Client } from '../link/client.ts';
import { type Ending, Link } from '../link/link.ts';
import type { ReadWork } from '../link/read-work.ts';
import { LogSenders } from '../logs/log-senders.ts';
import { imageName } from '../update/download.ts';
import { Releases } from '../update/releases.ts';
import { update } from '../update/update.ts';
import { type Log, reason } from './log.ts';
import { Refusal } from './refusal.ts';

export interface AgentOptions {
  home: string;
  identity: Identity;
  /** The control plane's own socket on this machine, instead of the address in the identity. */
  socket?: string | undefined;
  driver: Driver;
  ingress: Pick<IngressOptions, 'port' | 'listen' | 'limits' | 'trustedProxies'>;
  imageLimits: { limitBytes: number; maxImageBytes: number };
  builds: BuildSettings;
  /** Of the Docker engine, if that is the driver. */
  dockerSocket?: string | undefined;
  /** The release that a launcher started; nothing in a checkout. */
  launched: string | undefined;
  log: Log;
}

/** A running agent: applies the desired state and stays in contact. Closing it stops no instance. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #client: Client;
  readonly #credentials: Credentials;
  readonly #journal: Journal;
  readonly #releases: Releases;
  readonly #trust: TrustFile;
  readonly #ingress: Ingress;
  readonly #keeper: Keeper;
  readonly #builders: Builders;
  readonly #commands: Commands;
  readonly #logs: LogSenders;
  readonly #link: Link;
  readonly #stopping = new AbortController();
  #switching = false;
  #connection: { connected: boolean; error?: string } = { connected: false };
  #cluster: { id: string; name: string } | undefined;
  #written = '';

  constructor(options: AgentOptions) {
    const { home, identity, driver, log, imageLimits } = options;
    this.#options = options;
    this.#cluster = identity.cluster;
    this.#credentials = new Credentials(home, identity);
    this.#client = clientFor(identity, () => this.#credentials.current, options.socket);
    this.#journal = new Journal(join(home, 'journal'), log);
    this.#releases = new Releases(home);
    this.#trust = new TrustFile(home);
    this.#ingress = new Ingress({ home, ...options.ingress, program: ingressProgram(), log });
    const controlPlane = (repository: string) => new ControlPlaneAccess(this.#client, repository);
    const images = new ImageStore(join(home, 'images'), { ...imageLimits, runBy: driver.name, controlPlane });
    const { id: journal } = this.#journal;
    this.#keeper = new Keeper({ home, driver, images, ingress: this.#ingress, node: hostname(), journal, log });
    this.#builders = new Builders({
      home,
      client: this.#client,
      ...{ driver: driver.name, socket: options.dockerSocket, settings: options.builds },
    });
    this.#commands = new Commands({
      journal: this.#journal,
      client: this.#client,
      driver,
      restart: (key, process, token) => this.#keeper.restart(key, process, token),
      mountsOf: (key) => this.#keeper.mountsOf(key),
      run: (request) => this.#keeper.run(request),
      whileStill: (request, work) => this.#keeper.standstill.during(request, work),
      builders: this.#builders,
      update: async (body, run) => {
        const { launched: running } = options;
        const parts = { releases: this.#releases, client: this.#client, trust: this.#trust, running };
        const switchOver = () => void this.#switchOver(run.id);
        return update(body, run, { ...parts, switchOver }).catch((error: unknown) => {
          // An attacker may have requested the update, so this machine's own log records the refusal, too.
          if (error instanceof Refusal) log.warn(`An update to ${body.image} is refused: ${error.message}`);
          throw error;
        });
      },
      log,
    });
    this.#logs = new LogSenders({ client: this.#client, driver, holdsLeases: () => this.#link.holdsLeases });
    this.#link = this.#makeLink();
  }

  /** Works until it is stopped or dismissed; `switch-over` asks the launcher to start another release. */
  async run(signal: AbortSignal): Promise<Ending | 'switch-over'> {
    const stop = () => this.#stopping.abort();
    signal.addEventListener('abort', stop);
    // Workloads start first: they do not wait for a control plane.
    await this.#startIngress();
    await this.#keeper.start();
    await this.#commands.endLeftovers();
    this.#writeStatus();
    const forget = this.#keeper.onChange(() => this.#link.changed());
    const writing = setInterval(() => this.#writeStatus(), 2000);
    // Where there is no systemd, the launcher writes what we say into this file.
    const rotating = setInterval(() => rotate(join(this.#options.home, 'run', 'agent.log')), 60_000);
    try {
      if (signal.aborted) stop();
      const ending = await this.#link.run(this.#stopping.signal);
      return this.#switching ? 'switch-over' : ending;
    } finally {
      clearInterval(writing);
      clearInterval(rotating);
      forget();
      signal.removeEventListener('abort', stop);
      this.#commands.close();
      this.#logs.close();
      await this.#keeper.close();
      await this.#leaveIngress();
      this.#client.close();
    }
  }

  /** The ingress stays for instances that keep running; without any it has nothing to serve. */
  async #leaveIngress(): Promise<void> {
    const running = this.#keeper.observed().slices.some(({ instances }) => instances.length > 0);
    if (running || this.#switching) this.#ingress.close();
    else await this.#ingress.stop();
  }

  #makeLink(): Link {
    const { home, log, launched } = this.#options;
    const returned = this.#releases.read()?.returned;
    const told = returned !== undefined && this.#journal.get(returned.command)?.state === 'gone';
    return new Link({
      client: this.#client,
      version: programVersion,
      image: runningImage(home, launched),
      journalId: this.#journal.id,
      ...(returned === undefined || told
        ? {}
        : { returned: { from: imageOf(this.#releases, returned.release), reason: returned.reason } }),
      facts: () => this.#facts(),
      journalled: () => this.#journal.open().map(({ id }) => id),
      running: () => this.#commands.running(),
      observed: () => this.#keeper.observed(),
      logsRevision: () => this.#logs.revision,
      take: (work, since) => this.#take(work, since),
      connected: (answer) => this.#connected(answer),
      rotate: () => this.#credentials.rotate(this.#client),
      credentialRefused: () => this.#credentials.tryOther(),
      state: (state) => this.#noteState(state),
      log,
    });
  }

  async #facts(): Promise<Facts> {
    const { driver, ingress } = this.#options;
    const { port } = this.#ingress;
    const builds = await this.#builders.holds();
    const buildLimits = await this.#builders.limits();
    const ofBuilds = { builds, ...(buildLimits === undefined ? {} : { buildLimits }) };
    const most = await this.#builders.most();
    return await machineFacts(
      driver,
      ofBuilds,
      port === undefined ? undefined : { port, listen: ingress.listen },
      most,
    );
  }

  async #take({ desired, commands, strange, cancelled, logs }: ReadWork, since: number): Promise<void> {
    for (const id of cancelled) this.#commands.cancel(id);
    for (const command of commands) this.#commands.accept(command);
    for (const one of strange) this.#commands.refuse(one);
    if (logs !== undefined) this.#logs.take(logs);
    if (desired !== undefined) await this.#keeper.desire(desired, since);
  }

  #connected({ clusterId, clusterName, incarnation, trust }: HelloAnswer): void {
    const { log, launched } = this.#options;
    if (trust !== undefined) this.#followKeys(trust);
    this.#cluster = { id: clusterId, name: clusterName };
    this.#credentials.accepted(this.#cluster);
    forgetFailures(this.#options.home);
    if (launched !== undefined) this.#releases.confirm(launched);
    this.#releases.clear();
    // The outcome of an update is known only since the line before.
    this.#commands.start();
    log.info(`Connected to ${this.#client.address} as the agent of ${clusterName}, incarnation ${incarnation}.`);
  }

  #followKeys(trust: Trust): void {
    const { log } = this.#options;
    try {
      const found = this.#trust.follow(trust);
      if (found === undefined) return;
      if ('pinned' in found) log.info(found.pinned);
      else log.warn(found.strange);
    } catch (error) {
      // Instances keep running; the next update carries the same settings.
      log.warn(reason(error));
    }
  }

  #noteState(state: { connected: boolean; error?: string }): void {
    const { connected, error } = this.#connection;
    this.#connection = state;
    // Readers of the status see a change at once.
    if (state.connected !== connected || state.error !== error) this.#writeStatus();
  }

  /** Ends this agent for the next release. Commands at work get a moment, so that they need not be `unknown`. */
  async #switchOver(command: string): Promise<void> {
    await this.#commands.settled(command, 20_000);
    this.#switching = true;
    this.#stopping.abort();
  }

  async #startIngress(): Promise<void> {
    try {
      await this.#ingress.ensure();
    } catch (error) {
      // A port that is taken is no reason to run nothing: it is tried again, and the keeper says so meanwhile.
      this.#options.log.warn(`The ingress cannot be started: ${reason(error)}`);
    }
  }

  #writeStatus(): void {
    const { home, driver, dockerSocket, launched, log } = this.#options;
    const { appliedRevision, slices } = this.#keeper.observed();
    const { port: ingressPort } = this.#ingress;
    const status: Status = {
      pid: process.pid,
      version: programVersion,
      image: runningImage(home, launched),
      url: this.#client.address,
      ...this.#connection,
      driver: driver.name,
      ...defined({ cluster: this.#cluster, incarnation: this.#client.incarnation, ingressPort }),
      ...(driver.name === 'docker' && dockerSocket !== undefined ? { dockerSocket } : {}),
      appliedRevision,
      slices: slices.length,
      // Runs of a schedule and release commands that have ended stay for their logs.
      instances: slices.flatMap(({ instances }) => instances).filter(({ state }) => state !== 'ended').length,
    };
    const text = JSON.stringify(status);
    if (text === this.#written) return;
    try {
      writeStatus(home, status);
      this.#written = text;
    } catch (error) {
      log.warn(`The agent's status cannot be written: ${reason(error)}`);
    }
  }
}

function ingressProgram(): string[] {
  return [process.execPath, ownProgram('ingress', new URL('../ingress/main.ts', import.meta.url))];
}

function runningImage(home: string, launched: string | undefined): string {
  return launched === undefined ? `ballast-agent:${programVersion}-checkout` : imageOf(new Releases(home), launched);
}

function imageOf(releases: Releases, release: string): string {
  try {
    const { version }: { version: string } = JSON.parse(
      readFileSync(join(releases.path(release), 'release.json'), 'utf8'),
    );
    return imageName(version, release);
  } catch {
    return imageName(programVersion, release);
  }
}
