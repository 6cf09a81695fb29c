import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Listening } from '../../../domain/deployments/listening.ts';
import { writeFileAtomically } from '../../../machine/files.ts';
import { type Log, reason } from '../../program/log.ts';
import { Refusal } from '../../program/refusal.ts';
import type { Driver, Instance, InstanceSpec, LogNews, LogRequest, Running } from '../driver.ts';
import type { ReadyImage } from '../image.ts';
import { describeInstance, listeningOf } from './describe.ts';
import { checkSpec, groupsIn, InstanceFiles } from './instance-files.ts';
import { beginRun } from './launch/begin-run.ts';
import { programOfMachine } from './launch/command-of.ts';
import { ControlGroups, removeGroups } from './launch/control-groups.ts';
import { Launch } from './launch/launch.ts';
import { OwnNetwork } from './launch/own-network.ts';
import { growTree } from './launch/tree.ts';
import { Users } from './launch/users.ts';
import { endRun } from './leftovers.ts';
import { finished, readLogs, streams, whyNoHoles } from './logs/logs.ts';
import { runsOf } from './logs/run-history.ts';
import { Places } from './places.ts';
import { Ports } from './ports.ts';
import { Roots, removeTree } from './roots.ts';
import { endInside, runInside } from './run-inside.ts';
import { lastRun } from './runs.ts';
import { Volumes } from './volumes.ts';

const pollMilliseconds = 250;

export interface ProcessDriverOptions {
  home: string;
  log: Log;
  /** So much is kept of each stream of each instance. */
  logLimitBytes?: number;
}

/**
 * Runs instances as processes of this machine. Each has a keeper, a shell that outlives every agent; all that is known
 * of an instance is in its directory and in the system's table of processes.
 */
export async function processDriver(options: ProcessDriverOptions): Promise<Driver> {
  if (process.platform !== 'linux')
    throw new Refusal('The process driver runs on Linux; on this machine use the driver docker.');
  const driver = new ProcessDriver(options);
  await driver.sweep();
  driver.poll();
  return driver;
}

class ProcessDriver implements Driver {
  readonly name = 'process';
  readonly #log: Log;
  readonly #logLimit: number;
  readonly #fallocate = programOfMachine('fallocate');
  readonly #places: Places;
  readonly #files: InstanceFiles;
  readonly #ports: Ports;
  readonly #launch: Launch;
  readonly #groups: ControlGroups;
  readonly #users: Users;
  readonly #network: OwnNetwork;
  readonly #roots: Roots;
  readonly volumes: Volumes;
  readonly #listeners = new Set<() => void>();
  readonly #turns = new Map<string, Promise<void>>();
  /** The keys of instances that are being created. */
  readonly #creating: string[] = [];
  #punches: Promise<string | undefined> | undefined;
  #seen = '';

  constructor(options: ProcessDriverOptions) {
    this.#log = options.log;
    this.#logLimit = options.logLimitBytes ?? 64 * 1024 * 1024;
    this.#places = new Places(options.home);
    this.#files = new InstanceFiles(this.#places);
    this.#ports = new Ports(this.#places, this.#files);
    this.#launch = new Launch(this.#places);
    this.#groups = new ControlGroups(this.#places.homeId);
    this.#users = new Users(this.#places, this.#launch.setpriv);
    this.#network = new OwnNetwork((shell) => this.#launch.become(this.#users.any, shell));
    this.#roots = new Roots(this.#places);
    this.volumes = new Volumes(this.#places, {
      userOf: (key) => this.#users.of(key),
      removed: () => this.#forgetUsers(),
    });
  }

  async facts() {
    const yes = (why: string | undefined) => (why === undefined ? { holds: true } : { holds: false, why });
    this.#punches ??= whyNoHoles(this.#places, this.#fallocate);
    return {
      runtimeVersion: `Linux ${release()}`,
      holds: {
        memoryLimit: this.#groups.holds('memory'),
        cpuLimit: this.#groups.holds('cpu'),
        ownUser: yes(this.#users.missing),
        isolation: yes('Processes share the files, the network and the table of processes of the machine.'),
        separation: yes(
          'Every process of the machine reaches the ports of its loopback, whatever environment it belongs to.',
        ),
        logRotation: yes(await this.#punches),
        fixedPorts: yes(await this.#network.missing()),
        volumeUsage: yes(programOfMachine('du') ? undefined : 'The program du is missing: install coreutils.'),
      },
    };
  }

  async prepare(image: ReadyImage, signal: AbortSignal): Promise<void> {
    await this.#roots.prepare(image, signal);
  }

  async create(spec: InstanceSpec): Promise<void> {
    checkSpec(spec);
    this.#creating.push(spec.key);
    await this.#turn(spec.id, async () => {
      if (this.#files.directory(spec.id) !== undefined) return;
      await this.#network.check(spec);
      await this.#roots.prepare(spec.image, new AbortController().signal);
      const user = this.#users.of(spec.key);
      await growTree(this.#places, spec, user);
      this.#launch.check(spec);
      const draft = join(this.#places.instances, `.draft-${randomBytes(6).toString('hex')}`);
      mkdirSync(join(draft, 'runs'), { recursive: true, mode: 0o700 });
      writeFileAtomically(join(draft, 'spec.json'), JSON.stringify(spec));
      for (const stream of streams) {
        writeFileSync(join(draft, stream), '', { mode: 0o600 });
        // Programs open /dev/stdout, which the system allows to the owner of what is behind it.
        if (user !== undefined) chownSync(join(draft, stream), user, user);
      }
      renameSync(draft, this.#places.instance(spec.id));
    }).finally(() => this.#creating.splice(this.#creating.indexOf(spec.key), 1));
  }

  async start(id: string): Promise<void> {
    await this.#turn(id, async () => {
      const directory = this.#existing(id);
      if (lastRun(directory)?.running) return;
      const spec = this.#files.spec(id);
      const user = this.#users.of(spec.key);
      const port = spec.process.port === undefined ? undefined : await this.#ports.give(id);
      await beginRun({
        directory,
        groups: () => this.#groups.make(id, spec.process),
        script: this.#launch.script(spec, port),
        ends: () => finished(this.#files.logs(id)),
        become: this.#launch.becomeLeader(user, this.#network.shell(spec, port)),
      });
    });
  }

  async stop(id: string, graceSeconds: number): Promise<void> {
    await this.#turns.get(id)?.catch(() => undefined);
    const directory = this.#files.directory(id);
    if (directory !== undefined) await endRun(directory, graceSeconds);
  }

  async remove(id: string): Promise<void> {
    await this.#turns.get(id)?.catch(() => undefined);
    await this.#turn(id, async () => {
      const directory = this.#files.directory(id);
      if (directory === undefined) return;
      await endRun(directory, 0);
      const trash = join(this.#places.instances, `.removed-${id}`);
      renameSync(directory, trash);
      this.#files.forget(id);
      await this.#bury(trash, id);
      this.#forgetUsers();
    });
  }

  async list(): Promise<Instance[]> {
    return this.#files.ids().flatMap((id) => {
      try {
        return [describeInstance(this.#files, id, this.#places.instance(id))];
      } catch (error) {
        if (this.#files.directory(id) === undefined) return [];
        throw error;
      }
    });
  }

  watch(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async exec(id: string, command: readonly string[], running: Running): Promise<{ code: number }> {
    const directory = this.#existing(id);
    const run = lastRun(directory);
    if (!run?.running) throw new Error(`The instance ${id} is not running; start a command in one that is.`);
    const spec = this.#files.spec(id);
    const port = spec.process.port === undefined ? undefined : this.#files.port(id);
    const script = this.#launch.script(spec, port, command);
    const become = this.#launch.become(this.#users.of(spec.key), this.#network.shellBeside(spec, run.child?.pid));
    return await runInside(groupsIn(directory), become, script, running);
  }

  endExec(mark: string): Promise<void> {
    return endInside(mark);
  }

  async listening(id: string): Promise<Listening | undefined> {
    return listeningOf(this.#files, id, (await this.#network.missing()) === undefined);
  }

  async *logs(id: string, request: LogRequest): AsyncGenerator<LogNews, void, undefined> {
    const directory = this.#existing(id);
    yield* readLogs(this.#files.logs(id), request, {
      last: () => (this.#files.directory(id) === undefined ? 'removed' : lastRun(directory)),
      all: (last, ends) => runsOf(directory, last, ends),
    });
  }

  async rotateLogs(pressure = false): Promise<void> {
    const limit = pressure ? this.#logLimit / 8 : this.#logLimit;
    this.#punches ??= whyNoHoles(this.#places, this.#fallocate);
    if ((await this.#punches) !== undefined || this.#fallocate === undefined) return;
    for (const id of this.#files.ids())
      for (const stream of streams) await this.#files.logs(id)[stream].rotate(limit, this.#fallocate);
  }

  async forgetImages(kept: ReadonlySet<string>): Promise<void> {
    await this.#roots.forget(kept);
  }

  /** Removes everything that a killed agent left half created or half removed. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.#places.instances)) {
      if (name.startsWith('.draft-')) await removeTree(join(this.#places.instances, name));
      if (name.startsWith('.removed-'))
        await this.#bury(join(this.#places.instances, name), name.slice('.removed-'.length));
    }
    for (const id of readdirSync(this.#places.trees))
      if (!existsSync(this.#places.instance(id))) await removeTree(this.#places.tree(id));
    await this.#roots.sweep();
    await this.volumes.sweep();
    this.#forgetUsers();
  }

  /** Looks for ends, and notes when logs grew, for as long as the home is there. */
  poll(): void {
    const timer = setInterval(() => {
      try {
        const seen = this.#files.look();
        if (seen === this.#seen) return;
        this.#seen = seen;
        for (const listener of this.#listeners) listener();
      } catch (error) {
        if (!existsSync(this.#places.instances)) clearInterval(timer);
        else this.#log.warn(`The instances could not be read, which is tried again: ${reason(error)}`);
      }
    }, pollMilliseconds);
    timer.unref();
  }

  #existing(id: string): string {
    const directory = this.#files.directory(id);
    if (directory === undefined) throw new Error(`There is no instance ${id} on this machine.`);
    return directory;
  }

  async #bury(trash: string, id: string): Promise<void> {
    await endRun(trash, 0);
    removeGroups(groupsIn(trash));
    await removeTree(this.#places.tree(id), trash);
    if (this.#files.ids().length === 0) this.#groups.close();
  }

  /** Users of slices of which nothing is here any more. */
  #forgetUsers(): void {
    const keys = new Set(this.#creating);
    for (const id of this.#files.ids()) {
      const key = this.#files.keyOf(id);
      // One that cannot be read may be anybody's.
      if (key === undefined) return;
      keys.add(key);
    }
    this.#users.forget((key) => keys.has(key) || existsSync(this.#places.volumesOf(key)));
  }

  /** Creating and starting an instance take turns. */
  async #turn(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#turns.set(id, mine);
    try {
      await mine;
    } finally {
      if (this.#turns.get(id) === mine) this.#turns.delete(id);
    }
  }
}
