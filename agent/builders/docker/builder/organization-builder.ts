import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { OutboundRules } from '../../../../outbound/rules.ts';
import type { Engine } from '../../../drivers/docker/engine.ts';
import { Refusal } from '../../../program/refusal.ts';
import { Control } from '../buildkit/control.ts';
import { endCommands } from '../commands/end-commands.ts';
import { ofHome } from '../commands/marker.ts';
import { numberField } from '../session/messages.ts';
import {
  type BuilderName,
  type BuilderSettings,
  lastWords,
  limitsOf,
  nameOf,
  processOf,
  type Room,
  removeVolume,
  runFolder,
  seen,
  startContainer,
  stopContainer,
  writeSettings,
} from './container.ts';
import { needImage, notHere } from './engine-images.ts';
import type { OfferedImages } from './offered-images.ts';
import { isHere, openWayOut, type WayOut } from './way-out.ts';

/** A builder while it builds. */
export interface Working {
  control: Control;
  /** Its process. */
  pid: number;
  /** The folder with a folder for each command that it runs. */
  executions: string;
  /** Its way out, which all builds of the organization share. */
  proxy: WayOut['proxy'];
}

interface Parts extends BuilderSettings {
  engine: Engine;
  outbound: OutboundRules;
  images: OfferedImages;
  idleMillis: number;
}

const everyMillis = 100;
const startMillis = 120_000;
const pruneMillis = 60_000;

/** The container has ended before it answered. */
class Ended extends Refusal {}

/** The BuildKit of one organization: a container that is there while it builds, and some minutes longer. */
export class OrganizationBuilder {
  readonly #name: BuilderName;
  readonly #parts: Parts;
  #working: (Working & { way: WayOut }) | undefined;
  #rooms: Room[] = [];
  /** Of its container. */
  #room: Room = { memoryBytes: 0, processes: 0 };
  /** Starting and stopping, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(name: BuilderName, parts: Parts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Has it build for as long as `work` does. */
  async use<T>(room: Room, signal: AbortSignal, work: (working: Working) => Promise<T>): Promise<T> {
    this.#rooms.push(room);
    try {
      return await work(await this.#inTurn(() => this.#begin(signal)));
    } finally {
      this.#rooms.splice(this.#rooms.indexOf(room), 1);
      await this.#inTurn(() => this.#end());
    }
  }

  /** Whether no build uses it. */
  get idle(): boolean {
    return this.#rooms.length === 0;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#inTurn(async () => {
      if (this.idle) await stopContainer(this.#parts.engine, this.#name);
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return await done;
  }

  async #begin(signal: AbortSignal): Promise<Working> {
    clearTimeout(this.#idle);
    signal.throwIfAborted();
    const { engine, image, outbound, images } = this.#parts;
    if (this.#working !== undefined) {
      await this.#hold();
      return this.#working;
    }
    mkdirSync(this.#name.folder, { recursive: true, mode: 0o700 });
    // Its time says when it was used last.
    utimesSync(this.#name.folder, new Date(), new Date());
    await needImage(engine, image, signal);
    let control: Control | undefined;
    let pid = await processOf(engine, this.#name);
    if (pid > 0 && isHere(pid, runFolder(this.#name), seen.run(pid))) {
      await this.#hold();
      control = await this.#answering(pid, signal).catch(() => undefined);
    }
    if (control === undefined) {
      [pid, control] = await this.#start(signal).catch(async (error: unknown) => {
        if (!(error instanceof Ended)) throw error;
        // The caches of a builder that was killed may be damaged: it starts without them.
        await stopContainer(engine, this.#name);
        await removeVolume(engine, nameOf(this.#name));
        return await this.#start(signal);
      });
    }
    try {
      const way = await openWayOut(pid, outbound, images.answer);
      this.#working = { control, pid, executions: executionsOf(pid), proxy: way.proxy, way };
      return this.#working;
    } catch (error) {
      control.close();
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<[number, Control]> {
    const { engine, image } = this.#parts;
    writeSettings(this.#name, this.#parts);
    this.#room = this.#needed();
    const pid = await startContainer(engine, this.#name, image, this.#room);
    if (!isHere(pid, runFolder(this.#name), seen.run(pid))) {
      await this.#stillRuns(pid);
      await stopContainer(engine, this.#name);
      throw new Refusal(notHere);
    }
    return [pid, await this.#answering(pid, signal)];
  }

  async #answering(pid: number, signal: AbortSignal): Promise<Control> {
    const { engine } = this.#parts;
    for (const until = performance.now() + startMillis; performance.now() < until; await pause(everyMillis)) {
      signal.throwIfAborted();
      await this.#stillRuns(pid);
      if (!existsSync(seen.socket(pid))) continue;
      const control = new Control(seen.socket(pid));
      const answer = await control.ask('Info', Buffer.alloc(0), AbortSignal.timeout(10_000)).catch(() => undefined);
      if (answer !== undefined) return control;
      control.close();
    }
    throw new Refusal(
      `The builder of the organization does not start: look at the container ${nameOf(this.#name)} of the Docker engine. It said: ${await lastWords(engine, this.#name)}`,
    );
  }

  async #stillRuns(pid: number): Promise<void> {
    const { engine } = this.#parts;
    if (pid > 0 && (await processOf(engine, this.#name)) === pid) return;
    throw new Ended(`The builder of the organization does not start. It said: ${await lastWords(engine, this.#name)}`);
  }

  /** The last build ends: no way out is left, and what is too much in the caches goes. */
  async #end(): Promise<void> {
    const working = this.#working;
    if (!this.idle || working === undefined) return;
    this.#working = undefined;
    // Two builds may share a command.
    await endCommands(working, ofHome(this.#name.homeId));
    working.way.close();
    const all = 1;
    const request = Buffer.concat([numberField(2, all), numberField(5, this.#parts.cacheBytes)]);
    // The next build prunes what this one could not.
    await working.control.ask('Prune', request, AbortSignal.timeout(pruneMillis)).catch(() => undefined);
    working.control.close();
    utimesSync(this.#name.folder, new Date(), new Date());
    this.#idle = setTimeout(() => void this.stop().catch(() => undefined), this.#parts.idleMillis).unref();
  }

  #needed(): Room {
    const sum = (of: (room: Room) => number) => this.#rooms.reduce((all, room) => all + of(room), 0);
    return { memoryBytes: sum((room) => room.memoryBytes), processes: sum((room) => room.processes) };
  }

  /** Raises its limits to what its builds need. Lower ones wait for its next start: memory that is in use cannot be taken. */
  async #hold(): Promise<void> {
    const [held, needed] = [this.#room, this.#needed()];
    const room = {
      memoryBytes: Math.max(held.memoryBytes, needed.memoryBytes),
      processes: Math.max(held.processes, needed.processes),
    };
    if (room.memoryBytes === held.memoryBytes && room.processes === held.processes) return;
    await this.#parts.engine.ask((docker) => docker.getContainer(nameOf(this.#name)).update(limitsOf(room)));
    this.#room = room;
  }
}

/** BuildKit names the folder of its state by how it stores layers. */
function executionsOf(pid: number): string {
  const state = seen.state(pid);
  const found = readdirSync(state).find((name) => name.startsWith('runc-')) ?? 'runc-overlayfs';
  return join(state, found, 'executor');
}
