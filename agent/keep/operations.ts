import { setTimeout as pause } from 'node:timers/promises';
import { backOff } from '../../domain/back-off.ts';
import { openGate } from '../../domain/gate.ts';
import type { Driver, InstanceSpec } from '../drivers/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { Refusal } from '../program/refusal.ts';
import type { AppliedRoutes } from './applied-routes.ts';
import type { Action } from './observe/seen.ts';
import type { PinnedLayouts } from './pinned-layouts.ts';
import { betweenAttempts, type Entry, type Roster } from './roster.ts';

const atOnce = 8;

interface Parts {
  driver: Driver;
  images: ImageStore;
  ingress: Ingress | undefined;
  routes: AppliedRoutes | undefined;
  layouts: PinnedLayouts;
  roster: Roster;
  closing: AbortSignal;
  now: () => number;
  warn: (message: string) => void;
}

/** Does what was planned, each thing by itself: what hangs or fails is no obstacle for the others. */
export class Operations {
  readonly #parts: Parts;
  readonly #places = openGate(atOnce);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  perform(action: Action): void {
    const { roster, closing, warn, now } = this.#parts;
    if (!('id' in action) || action.id === undefined || closing.aborted) return;
    const entry = roster.entries.get(action.id);
    if (entry === undefined || entry.busy) return;
    const { chance } = entry;
    const work = roster.during(entry, async () => {
      try {
        await this.#do(action, entry);
      } catch (error) {
        if (closing.aborted || entry.closing.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        warn(`${entry.id}: ${action.do} failed: ${message}`);
        if (entry.chance !== chance) return;
        entry.message = message;
        entry.failures += 1;
        entry.notBefore = now() + backOff(entry.failures, betweenAttempts);
        entry.refused = error instanceof Refusal ? message : undefined;
      }
    });
    work.catch((error: unknown) => warn(`${entry.id}: ${String(error)}`));
  }

  async #do(action: Action, entry: Entry): Promise<void> {
    const { driver, roster } = this.#parts;
    if (action.do === 'create') await this.#create(entry);
    else if (action.do === 'start') await this.#places(() => driver.start(action.id));
    else if (action.do === 'drain') await this.#drain(entry, action.seconds);
    else if (action.do === 'stop') {
      entry.stopped = action.why;
      await driver.stop(action.id, action.graceSeconds);
    } else if (action.do === 'remove') {
      if (entry.instance !== undefined || entry.made) await driver.remove(action.id);
      roster.drop(action.id);
    }
  }

  async #create(entry: Entry): Promise<void> {
    const { driver, images, layouts, closing } = this.#parts;
    const { addition, chance } = entry;
    if (addition === undefined) return;
    const { workload, process, key, label } = addition;
    const signal = AbortSignal.any([closing, entry.closing.signal]);
    // A refused image may have been repaired in place, and the workload then means the repaired one.
    const wanted = entry.refused === undefined ? layouts.pinned(key, workload.image) : workload.image;
    const image = await images.ready(wanted, signal);
    signal.throwIfAborted();
    if (entry.chance !== chance) return;
    entry.imageDigest = image.digest;
    const spec: InstanceSpec = {
      ...{ id: entry.id, key, release: label, process, image },
      // The image's own environment comes first, so that every driver gives the same result.
      environment: { ...image.config.environment, ...workload.environment },
      files: workload.files,
      environmentId: workload.network?.environment,
      volumes: process.mounts.map(({ volume, path, name: called = volume }) => {
        const sizeBytes = workload.volumes.find(({ name }) => name === volume)?.sizeBytes;
        return { name: volume, path, called, sizeBytes };
      }),
    };
    await this.#places(async () => {
      signal.throwIfAborted();
      await driver.prepare(image, signal);
      signal.throwIfAborted();
      await driver.create(spec);
      entry.made = true;
    });
    entry.message = undefined;
    entry.refused = undefined;
    entry.failures = 0;
    if (wanted === workload.image) layouts.pin(key, workload.image, image.digest);
  }

  /** Routes no longer lead to the instance; its requests in flight finish before it is asked to end. */
  async #drain({ id, instance }: Entry, seconds: number): Promise<void> {
    const { driver, ingress, routes, closing } = this.#parts;
    const deadline = Date.now() + seconds * 1000;
    const address = instance?.address;
    if (ingress !== undefined && routes !== undefined && address !== undefined) {
      const giveUp = AbortSignal.any([closing, AbortSignal.timeout(Math.max(1, seconds * 1000))]);
      await Promise.race([routes.applied(), pause(seconds * 1000 + 1, undefined, { signal: giveUp }).catch(() => {})]);
      for (let wait = 50; Date.now() < deadline && !closing.aborted; wait = Math.min(wait * 2, 500)) {
        const open = await ingress.inFlight(address).catch(() => 0);
        if (open === 0) break;
        await pause(Math.min(wait, Math.max(1, deadline - Date.now())), undefined, { signal: closing });
      }
    }
    closing.throwIfAborted();
    const rest = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
    await driver.stop(id, Math.max(rest, Math.min(1, seconds)));
  }
}
