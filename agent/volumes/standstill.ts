import type { Workload } from '../../protocol/workload.ts';
import type { Driver } from '../drivers/driver.ts';
import { isServing, type Seen } from '../keep/observe/seen.ts';
import type { RolloutRecord } from '../keep/plan/rollout-record.ts';
import { Refusal } from '../program/refusal.ts';

interface StandstillWorld {
  seen(): readonly Seen[];
  /** The workload that serves. */
  workload(key: string): Workload | undefined;
  rollout(key: string): RolloutRecord | undefined;
  now(): number;
  nextPass(): Promise<void>;
}

export interface StandstillRequest {
  key: string;
  volume: string;
  /** Of the command: until its processes have ended it can still be given up. */
  signal: AbortSignal;
}

/** The machine of a command that needs one. */
export interface Standing {
  volumes: Driver['volumes'];
  /** Does something while nothing runs that mounts the volume. */
  whileStill: Standstill['during'];
}

const rolloutMillis = 30 * 60_000;
const endMillis = 10 * 60_000;
const againMillis = 2 * 60_000;

/**
 * Volumes whose data are being replaced, or packed as they are at one moment: what mounts them ends, and nothing of it begins. Only this agent knows of it: whatever
 * happens to it, the next one starts everything again.
 */
export class Standstill {
  readonly #world: StandstillWorld;
  readonly #held = new Set<string>();

  constructor(world: StandstillWorld) {
    this.#world = world;
  }

  holds(key: string, { mounts }: Pick<Seen['process'], 'mounts'>): boolean {
    return mounts.some(({ volume }) => this.#held.has(`${key} ${volume}`));
  }

  /** Does something while nothing runs that mounts a volume. Answers how long that was, if anything ran that does again. */
  async during(request: StandstillRequest, work: () => void | Promise<void>): Promise<{ stoppedMillis?: number }> {
    const { key, volume } = request;
    const { now } = this.#world;
    await this.#afterRollout(request);
    const begun = now();
    this.#held.add(`${key} ${volume}`);
    let stopped: boolean;
    try {
      stopped = await this.#ended(request);
      await work();
    } finally {
      this.#held.delete(`${key} ${volume}`);
    }
    return stopped && (await this.#again(request)) ? { stoppedMillis: now() - begun } : {};
  }

  /** New instances are judged by how they do, and must not be stopped meanwhile. */
  async #afterRollout({ key, signal }: StandstillRequest): Promise<void> {
    const open = () => {
      const phase = this.#world.rollout(key)?.rollout.phase;
      return phase !== undefined && phase !== 'done' && phase !== 'returned';
    };
    await this.#until(() => !open(), rolloutMillis, 'A deployment of the service did not end', signal);
  }

  /** Whether anything ran. */
  async #ended({ key, volume, signal }: StandstillRequest): Promise<boolean> {
    let ran = false;
    const ended = () => {
      const mounting = this.#mounting(key, volume);
      ran ||= mounting.some(({ state }) => state === 'running');
      return mounting.every(({ state, busy }) => !busy && state !== 'running');
    };
    await this.#until(ended, endMillis, 'The processes that mount the volume did not end', signal);
    return ran;
  }

  /** Whether all that mount it serve again. They may never do so with these data: that is said by their own state. */
  async #again({ key, volume }: StandstillRequest): Promise<boolean> {
    const names = (this.#world.workload(key)?.processes ?? [])
      .filter(({ mounts, replicas }) => replicas > 0 && mounts.some((mount) => mount.volume === volume))
      .map(({ name }) => name);
    const again = () => {
      const serving = this.#mounting(key, volume).filter(isServing);
      return names.every((name) => serving.some(({ process }) => process.name === name));
    };
    return await this.#until(again, againMillis, '', new AbortController().signal).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal) return false;
        throw error;
      },
    );
  }

  #mounting(key: string, volume: string): Seen[] {
    return this.#world
      .seen()
      .filter((seen) => seen.key === key && seen.process.mounts.some((mount) => mount.volume === volume));
  }

  async #until(is: () => boolean, millis: number, late: string, signal: AbortSignal): Promise<void> {
    const { now, nextPass } = this.#world;
    const begun = now();
    for (;;) {
      await nextPass();
      signal.throwIfAborted();
      if (is()) return;
      if (now() - begun > millis) throw new Refusal(`${late} within ${millis / 60_000} minutes.`);
    }
  }
}
