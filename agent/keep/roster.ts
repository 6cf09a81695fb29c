import { randomInt } from 'node:crypto';
import { backOff } from '../../domain/back-off.ts';
import { defined } from '../../domain/defined.ts';
import { type Gate, openGate } from '../../domain/gate.ts';
import type { Process } from '../../protocol/workload.ts';
import type { Driver, Instance } from '../drivers/driver.ts';
import type { Memory } from './memory.ts';
import { Checkup, type Findings } from './observe/checkup.ts';
import { crashed, crashText, holdAfter } from './observe/crash-loop.ts';
import { type Action, howOf, type Seen } from './observe/seen.ts';

type Addition = Extract<Action, { do: 'add' }>;

/** The agent's own knowledge of one instance, beyond what the driver reports. */
export interface Entry {
  id: string;
  addition?: Addition;
  instance?: Instance;
  checkup?: { run: number; is: Checkup };
  busy: boolean;
  /** Before this look at the machine was over, something was done to it: that look says nothing of it. */
  touched: number;
  made: boolean;
  closing: AbortController;
  imageDigest?: string;
  notBefore: number;
  failures: number;
  /** The run whose end has been taken into account. */
  endedRun: number;
  readyRun: number;
  refused?: string | undefined;
  message?: string | undefined;
  /** Why this agent has ended its run, until the end is seen. */
  stopped?: string | undefined;
  /** Facts that a check of its last run has found, and that its end does not change. */
  clues?: Pick<Findings, 'listening' | 'answer'> | undefined;
  /** Counts how often the slice was applied: an earlier attempt's outcome must not count for a later one. */
  chance: number;
}

/** Between the attempts to create, start or restart an instance. */
export const betweenAttempts = { first: 1000, longest: 60_000 };
/** Of one slice, so that checks of one that hang hold up no other. */
const probesAtOnce = 8;

/** Every instance, existing or planned, with its condition. */
export class Roster {
  readonly entries = new Map<string, Entry>();
  readonly #driver: Driver;
  readonly #memory: Memory;
  readonly #onChange: () => void;
  readonly #places = new Map<string, Gate>();
  #tick = 0;

  constructor(driver: Driver, memory: Memory, onChange: () => void) {
    this.#driver = driver;
    this.#memory = memory;
    this.#onChange = onChange;
  }

  async look(now: number): Promise<void> {
    const adoptsAll = !this.#memory.isKnown;
    this.#tick += 1;
    const began = this.#tick;
    const listed = await this.#driver.list();
    for (const instance of listed) {
      const entry = this.entries.get(instance.id) ?? this.#enter(instance.id);
      entry.instance = instance;
      this.#follow(entry, instance, now, adoptsAll);
    }
    const ids = new Set(listed.map(({ id }) => id));
    for (const [id, entry] of this.entries) {
      if (ids.has(id) || entry.busy || entry.touched > began || (entry.addition !== undefined && !entry.made)) continue;
      this.drop(id);
    }
    for (const entry of this.entries.values()) if (entry.touched < began) entry.touched = 0;
    const keys = new Set(listed.map(({ key }) => key));
    for (const key of this.#places.keys()) if (!keys.has(key)) this.#places.delete(key);
    for (const id of this.#memory.instances.keys()) if (!this.entries.has(id)) this.#memory.instances.delete(id);
  }

  add(addition: Addition, now: number): void {
    const id = addition.id ?? this.#newId(addition.process.name);
    if (this.entries.has(id)) return;
    this.#enter(id).addition = addition;
    this.#memory.instances.set(id, { since: now });
  }

  retire(id: string, now: number): void {
    const entry = this.entries.get(id);
    const known = this.#memory.instances.get(id);
    if (entry === undefined || known === undefined) return;
    known.retired = now;
    entry.notBefore = 0;
    entry.checkup?.is.close();
    if (entry.instance === undefined) entry.closing.abort();
  }

  /** Shows a message with the running instances of a process. */
  say(key: string, process: string, message: string): void {
    for (const entry of this.entries.values()) {
      const { instance } = entry;
      if (instance?.key === key && instance.process.name === process && instance.state === 'running') {
        entry.message = message;
      }
    }
  }

  drop(id: string): void {
    const entry = this.entries.get(id);
    entry?.checkup?.is.close();
    entry?.closing.abort();
    this.entries.delete(id);
    this.#memory.instances.delete(id);
  }

  /** Clears failures and back-off after the slice was applied again. */
  giveAnotherChance(key: string): void {
    for (const entry of this.entries.values()) {
      if ((entry.addition?.key ?? entry.instance?.key) !== key) continue;
      entry.chance += 1;
      entry.refused = undefined;
      entry.failures = 0;
      entry.notBefore = 0;
      if (entry.instance === undefined) entry.message = undefined;
      const known = this.#memory.instances.get(entry.id);
      if (known !== undefined) delete known.crashes;
    }
  }

  /** The image that an instance of this slice was made from, if there is one. */
  imageOf(key: string): string | undefined {
    for (const { id, instance } of this.entries.values()) {
      if (instance?.key === key && this.#memory.instances.get(id)?.retired === undefined) return instance.imageDigest;
    }
    return undefined;
  }

  /** Does something to an instance, which is left alone until it is done. */
  async during(entry: Entry, work: () => Promise<void>): Promise<void> {
    entry.busy = true;
    try {
      await work();
    } finally {
      entry.busy = false;
      this.#tick += 1;
      entry.touched = this.#tick;
      this.#onChange();
    }
  }

  /** `currentOf` tells what the process of an instance is today, where that changed without a new release; `hostOf` its host name. */
  seen(
    now: number,
    currentOf: (key: string, label: string, process: Process) => Process,
    hostOf: (key: string, process: string) => string | undefined,
  ): Seen[] {
    const all: Seen[] = [];
    for (const entry of this.entries.values()) {
      const source = entry.instance ?? entry.addition;
      if (source === undefined) continue;
      const label = 'label' in source ? source.label : source.release;
      const process = currentOf(source.key, label, source.process);
      entry.checkup?.is.update({
        id: entry.id,
        process,
        address: entry.instance?.address,
        host: hostOf(source.key, process.name),
      });
      all.push(this.#seenOf(entry, source.key, label, process, now));
    }
    return all;
  }

  close(): void {
    for (const entry of this.entries.values()) {
      entry.checkup?.is.close();
      entry.closing.abort();
    }
  }

  #seenOf(entry: Entry, key: string, label: string, process: Process, now: number): Seen {
    const { instance, id } = entry;
    const runs = instance?.state === 'running';
    const { is, run } = entry.checkup ?? {};
    const findings = runs && run === instance.run ? is?.findings : undefined;
    const known = this.#memory.instances.get(id) ?? { since: now };
    const ready = findings?.ready === true && findings.sick === undefined;
    if (ready) entry.readyRun = instance?.run ?? 0;
    if (ready !== (known.ready !== undefined)) known.since = now;
    if (ready) known.ready = instance?.run ?? 0;
    else delete known.ready;
    const holds = ready && known.crashes !== undefined && now - known.since >= holdAfter(known.crashes);
    if (holds) delete known.crashes;
    this.#memory.instances.set(id, known);
    const imageDigest = instance?.imageDigest ?? entry.imageDigest;
    const message = findings?.message ?? (ready ? undefined : entry.message);
    if (ready) entry.clues = undefined;
    const { listening, answer } = findings ?? entry.clues ?? {};
    return {
      ...{ id, key, label, process, ready },
      state: instance?.state ?? 'preparing',
      run: instance?.run ?? 0,
      busy: entry.busy || entry.touched > 0,
      retired: known.retired !== undefined,
      started: findings?.started ?? false,
      wasReady: runs && entry.readyRun === instance.run && instance.run > 0,
      since: known.since,
      notBefore: entry.notBefore,
      ...defined({
        startedAt: instance?.startedAt?.getTime(),
        ...{ address: instance?.address, exit: instance?.exit, memoryBytes: instance?.memoryBytes },
        ...{ refused: entry.refused, sick: findings?.sick, crashes: known.crashes },
        ...{ imageDigest, message, listening, answer },
      }),
    };
  }

  #follow(entry: Entry, instance: Instance, now: number, adoptsAll: boolean): void {
    const { id, run, state } = instance;
    const known = this.#memory.instances.get(id);
    const asksIt = state === 'running' && known?.retired === undefined && instance.process.kind !== 'cron';
    if (!asksIt || entry.checkup?.run !== run) {
      entry.checkup?.is.close();
      entry.clues = entry.checkup?.is.findings ?? entry.clues;
      delete entry.checkup;
    }
    if (asksIt && entry.checkup === undefined) {
      const adopted = adoptsAll || known?.ready === run;
      const probed = { id, process: instance.process, address: instance.address };
      const places = this.#places.get(instance.key) ?? openGate(probesAtOnce);
      this.#places.set(instance.key, places);
      entry.checkup = { run, is: new Checkup(this.#driver, probed, adopted, places, this.#onChange) };
    }
    if (state !== 'ended' || entry.endedRun === run) return;
    entry.endedRun = run;
    if (known?.retired !== undefined) return;
    const at = instance.exit?.at.getTime() ?? now;
    this.#countCrash(entry, instance, at);
    entry.notBefore = at + backOff(known?.crashes?.count ?? 1, betweenAttempts);
    const how = instance.exit === undefined ? 'while nobody saw it' : howOf(instance.exit);
    entry.message = entry.stopped ?? `Its last run ended ${how}.`;
    entry.stopped = undefined;
  }

  #countCrash({ id, stopped }: Entry, { exit, process, run, startedAt }: Instance, at: number): void {
    const known = this.#memory.instances.get(id);
    if (known === undefined || exit === undefined || process.kind === 'cron' || known.crashes?.run === run) return;
    const lasted = Math.max(0, at - (startedAt?.getTime() ?? at));
    // One that was ready long enough between two looks has held, too.
    const before = known.crashes !== undefined && lasted >= holdAfter(known.crashes) ? undefined : known.crashes;
    known.crashes = crashed(before, { run, at, lasted, how: stopped ?? crashText(exit) });
  }

  #enter(id: string): Entry {
    const entry: Entry = {
      ...{ id, busy: false, touched: 0, made: false, closing: new AbortController() },
      ...{ notBefore: 0, failures: 0, endedRun: 0, readyRun: 0, chance: 0 },
    };
    this.entries.set(id, entry);
    return entry;
  }

  #newId(process: string): string {
    for (;;) {
      const letters = Array.from({ length: 8 }, () => randomInt(36).toString(36)).join('');
      if (!this.entries.has(`${process}-${letters}`)) return `${process}-${letters}`;
    }
  }
}
