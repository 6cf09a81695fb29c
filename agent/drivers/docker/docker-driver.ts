import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../program/log.ts';
import { Refusal } from '../../program/refusal.ts';
import type { Driver, EnvironmentName, InstanceSpec, LogRequest, Running } from '../driver.ts';
import type { ReadyImage } from '../image.ts';
import { checkSpec } from '../process/instance-files.ts';
import { Places } from '../process/places.ts';
import { Volumes } from '../process/volumes.ts';
import { containerOf, Files, makeVolume } from './container.ts';
import { Engine, saidBy, statusOf, unless } from './engine.ts';
import { Events } from './events.ts';
import { endExec, exec } from './exec.ts';
import { facts } from './facts.ts';
import { Images } from './images.ts';
import { Instances } from './instances.ts';
import { listeningOf } from './listening.ts';
import { logs, placedRuns } from './logs/logs.ts';
import { HostNames, Networks } from './networks.ts';
import { RunBook } from './runs.ts';

export { engineAnswers } from './engine.ts';

export interface DockerDriverOptions {
  home: string;
  /** The path of the engine's socket. */
  socket: string;
  log: Log;
}

/** Runs instances as containers of a Docker engine, which need not be there yet: each call finds it when it is. */
export async function dockerDriver({ home, socket, log }: DockerDriverOptions): Promise<Driver> {
  // The process driver's home, ID and volumes, so that an agent can change its driver and keep them.
  const places = new Places(home);
  const drafts = join(home, 'docker', 'loading');
  // Drafts left by an agent that was killed.
  rmSync(drafts, { recursive: true, force: true });
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  const engine = new Engine(socket);
  const networks = new Networks(engine, places.homeId);
  const hostNames = new HostNames(join(home, 'docker', 'names'));
  const runs = new RunBook(home);
  const events = new Events(engine, places.homeId);
  const images = new Images(engine, places.homeId, drafts);
  const volumes = new Volumes(places);
  const instances = new Instances({ engine, home: places.homeId, networks, runs, events, log });
  const files = new Files(join(home, 'docker', 'files'));
  return new DockerDriver({ files, engine, networks, hostNames, runs, events, images, volumes, instances, places });
}

interface Parts {
  files: Files;
  engine: Engine;
  networks: Networks;
  hostNames: HostNames;
  runs: RunBook;
  events: Events;
  images: Images;
  volumes: Volumes;
  instances: Instances;
  places: Places;
}

class DockerDriver implements Driver {
  readonly name = 'docker';
  readonly volumes: Volumes;
  readonly #parts: Parts;
  #swept = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.volumes = parts.volumes;
  }

  facts() {
    return facts(this.#parts.engine);
  }

  prepare(image: ReadyImage, signal: AbortSignal) {
    return this.#parts.images.prepare(image, signal);
  }

  async create(spec: InstanceSpec): Promise<void> {
    checkSpec(spec);
    const { engine, networks, hostNames, images, instances, places, files } = this.#parts;
    const name = instances.containerName(spec.id);
    if ((await instances.inspect(spec.id)) !== undefined) return;
    const image = await images.find(spec.image);
    if (image === undefined) throw new Error(`The image of ${spec.id} is not in the Docker engine; prepare it again.`);
    const { id: networkId, direct } = await networks.ensure(spec.environmentId);
    const hosts = spec.environmentId === undefined ? undefined : hostNames.path(spec.environmentId);
    for (const volume of spec.volumes) makeVolume(places, spec, volume.name);
    const volume = (volumeName: string) => places.volume(spec.key, volumeName);
    const container = containerOf(spec, {
      ...{ home: places.homeId, image, network: networkId, publish: !direct, hosts, volume },
      files: files.make(spec),
    });
    await engine
      .wait((docker) => docker.createContainer({ name, ...container }))
      .catch(async (error: unknown) => {
        // Another call was faster; or the name is somebody else's, which cannot be by chance.
        if (statusOf(error) === 409 && (await instances.inspect(spec.id)) !== undefined) return;
        if (statusOf(error) === 400 || statusOf(error) === 409) {
          throw new Refusal(`The Docker engine does not create ${spec.id}: ${saidBy(error)}`);
        }
        throw error;
      });
    instances.changed();
  }

  async start(id: string): Promise<void> {
    const { engine, instances } = this.#parts;
    // The look also records how the run before ended, before the engine forgets it.
    if ((await instances.look(id)) === undefined) throw new Error(`There is no instance ${id}; create it first.`);
    await engine
      .wait((docker) => docker.getContainer(instances.containerName(id)).start())
      .catch((error: unknown) => {
        if (statusOf(error) === 304) return;
        if (statusOf(error) === undefined) throw error;
        throw new Error(`${id} cannot be started: ${saidBy(error)}`, { cause: error });
      });
    instances.changed();
    await instances.look(id);
  }

  async stop(id: string, graceSeconds: number): Promise<void> {
    const { engine, instances } = this.#parts;
    if ((await instances.look(id))?.state !== 'running') return;
    await engine
      .wait(async (docker) => {
        const container = docker.getContainer(instances.containerName(id));
        if (graceSeconds > 0) return await container.stop({ t: graceSeconds });
        // The engine would still send SIGTERM first, and which of the two signals ends the process would be chance.
        await container.kill({ signal: 'SIGKILL' });
        return await container.wait();
      })
      .catch(unless(304, 404, 409));
    instances.changed();
    await instances.look(id);
  }

  async remove(id: string): Promise<void> {
    const { engine, instances, runs, files } = this.#parts;
    while ((await instances.inspect(id)) !== undefined) {
      await engine
        .wait((docker) => docker.getContainer(instances.containerName(id)).remove({ force: true, v: true }))
        .catch(async (error: unknown) => {
          if (statusOf(error) === 404) return;
          // Somebody removes it already.
          if (statusOf(error) !== 409) throw error;
          await pause(100);
        });
    }
    instances.changed();
    runs.forget(id);
    files.remove(id);
  }

  async list() {
    const { instances, files } = this.#parts;
    const all = await instances.list();
    if (!this.#swept) {
      this.#swept = true;
      files.keep(new Set(all.map(({ id }) => id)));
    }
    return all;
  }

  watch(onChange: () => void) {
    return this.#parts.events.listen(() => {
      this.#parts.instances.changed();
      onChange();
    });
  }

  async exec(id: string, command: readonly string[], running: Running): Promise<{ code: number }> {
    const inspected = await this.#parts.instances.inspect(id);
    if (inspected === undefined) throw new Error(`There is no instance ${id}; list the instances of the cluster.`);
    return await exec(this.#parts.engine, inspected.Id, command, running);
  }

  async listening(id: string) {
    const { engine, instances } = this.#parts;
    return await listeningOf(engine, await instances.inspect(id), (await instances.look(id))?.process.port);
  }

  endExec(mark: string) {
    return endExec(this.#parts.engine, mark);
  }

  logs(id: string, request: LogRequest) {
    const { engine, instances, runs } = this.#parts;
    const look = async () => {
      await instances.look(id);
      return await instances.inspect(id);
    };
    return logs(engine, look, (madeAt) => placedRuns(runs.all(id), madeAt), request);
  }

  async setNames(environments: ReadonlySet<string>, names: readonly EnvironmentName[]): Promise<void> {
    const { networks, hostNames, instances } = this.#parts;
    const ids = new Set(names.flatMap((name) => name.instances));
    const found = await Promise.all([...ids].map(async (id) => [id, await instances.networkAddress(id)] as const));
    const addressOf = new Map(found);
    for (const environment of environments) {
      const mine = names.filter((name) => name.environment === environment);
      const lead = mine.map(({ name, instances: all }) => ({
        name,
        addresses: all.flatMap((id) => addressOf.get(id) ?? []),
      }));
      hostNames.set(environment, lead);
    }
    hostNames.keep(environments);
    await networks.keep(environments);
  }

  /** The engine rotates its logs itself. */
  async rotateLogs(): Promise<void> {}

  forgetImages(kept: ReadonlySet<string>) {
    return this.#parts.images.forget(kept);
  }
}
