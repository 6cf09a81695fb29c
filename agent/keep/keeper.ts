import { join } from 'node:path';
import type { Disk } from '../../domain/clusters/clusters.ts';
import type { Desired } from '../../protocol/desired.ts';
import type { Observed } from '../../protocol/observed.ts';
import type { Process } from '../../protocol/workload.ts';
import type { Driver } from '../drivers/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { Log } from '../program/log.ts';
import { Standstill } from '../volumes/standstill.ts';
import { AppliedNames } from './applied-names.ts';
import { AppliedRoutes } from './applied-routes.ts';
import { DesiredFile } from './desired-file.ts';
import { Memory } from './memory.ts';
import { News } from './news.ts';
import { LastLines } from './observe/crash-loop.ts';
import { observeMachine } from './observe/observe.ts';
import type { Action, Seen } from './observe/seen.ts';
import { Visits } from './observe/visits.ts';
import { extraRun, type RunRequest, restart } from './on-demand.ts';
import { Operations } from './operations.ts';
import { PinnedLayouts } from './pinned-layouts.ts';
import { processKey, scheduleKey } from './plan/keys.ts';
import { currentProcesses, hostsOf, type Plan, plan } from './plan/plan.ts';
import { inEffectOf, servingWorkload } from './plan/rollout-record.ts';
import { RolloutFiles } from './rollout-files.ts';
import { Roster } from './roster.ts';
import { Statistics } from './statistics.ts';
import { diskOf, Upkeep } from './upkeep.ts';
import { Wake } from './wake.ts';

export interface Clock {
  now(): number;
}

export interface KeeperOptions {
  home: string;
  driver: Driver;
  images: ImageStore;
  ingress?: Ingress;
  node: string;
  journal: string;
  log: Log;
  clock?: Clock;
  /** The file system of the home, unless a test says another one. */
  disk?: () => Promise<Disk>;
}

/** The longest pause between two passes. */
const lookEvery = 1000;

/**
 * Keeps the machine in its desired state: looks at the instances, plans, and performs the actions, again and again. The
 * history does not matter. Closing the keeper stops no instance.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #clock: Clock;
  readonly #desired: DesiredFile;
  readonly #memory: Memory;
  readonly #roster: Roster;
  readonly #rollouts: RolloutFiles;
  readonly #lastLines: LastLines;
  readonly #visits: Visits;
  readonly #routes: AppliedRoutes | undefined;
  readonly #names: AppliedNames;
  readonly #layouts: PinnedLayouts;
  readonly #operations: Operations;
  readonly #statistics: Statistics;
  readonly #upkeep: Upkeep;
  readonly standstill: Standstill;
  readonly #wake = new Wake();
  readonly #closing = new AbortController();
  readonly #news = new News();
  readonly #passed = new Set<() => void>();
  #unwatch = () => {};
  #working: Promise<void> | undefined;
  #plan: Plan | undefined;
  #seen: readonly Seen[] = [];
  #error: string | undefined;
  #observed: Observed = { appliedRevision: 0, slices: [] };

  constructor(options: KeeperOptions) {
    const { home, driver, images, ingress, log } = options;
    this.#options = options;
    this.#clock = options.clock ?? { now: () => Date.now() };
    this.#desired = new DesiredFile(join(home, 'desired.json'));
    this.#memory = new Memory(join(home, 'keep', 'memory.json'));
    const wake = () => this.#wake.up();
    this.#roster = new Roster(driver, this.#memory, wake);
    this.#rollouts = new RolloutFiles(join(home, 'keep', 'rollouts'));
    this.#lastLines = new LastLines(driver, wake);
    this.#visits = new Visits(() => ingress?.door, this.#closing.signal, wake);
    this.#layouts = new PinnedLayouts(images, this.#memory, (key) => this.#roster.imageOf(key));
    this.#routes = ingress === undefined ? undefined : new AppliedRoutes(ingress, this.#closing.signal, wake);
    this.#names = new AppliedNames(driver, wake);
    const [closing, now] = [this.#closing.signal, () => this.#clock.now()];
    const warn = log.warn.bind(log);
    this.#operations = new Operations({
      ...{ driver, images, ingress, routes: this.#routes, roster: this.#roster, layouts: this.#layouts },
      ...{ closing, now, warn },
    });
    this.standstill = new Standstill({
      ...{ now, seen: () => this.#seen, nextPass: () => this.#nextPass(), workload: (key) => this.#serving(key) },
      rollout: (key) => this.#rollouts.records.get(key),
    });
    this.#statistics = new Statistics(driver, ingress);
    this.#upkeep = new Upkeep({
      ...{ driver, images, roster: this.#roster, rollouts: this.#rollouts, warn, now: now() },
      wanted: () => this.#layouts.digestsOf(this.#desired.slices),
      disk: options.disk ?? (() => diskOf(home)),
    });
  }

  /** The last revision received; the next request asks for later changes, 0 asks for everything. */
  get revision(): number {
    return this.#desired.revision;
  }

  /** Resolves after the first pass. */
  async start(): Promise<void> {
    const damage = this.#desired.load();
    if (damage !== undefined) this.#options.log.warn(damage);
    this.#memory.load();
    for (const path of this.#rollouts.load()) {
      this.#options.log.warn(`${path} is damaged: what its workload ran before is kept as it is found.`);
    }
    this.#unwatch = this.#options.driver.watch(() => this.#wake.up());
    await this.#pass();
    this.#working = this.#work();
  }

  /** Resolves when the change is on disk. With `since` 0, slices that are not named are removed. */
  async desire(desired: Desired, since = this.revision): Promise<void> {
    const anew = desired.slices.filter(({ key, revision }) => this.#desired.slices.get(key)?.revision !== revision);
    await this.#layouts.look(anew);
    this.#desired.merge(desired, since);
    for (const { key } of anew) this.#roster.giveAnotherChance(key);
    this.#wake.up();
  }

  observed(): Observed {
    return this.#observed;
  }

  /** Told at most every 200 ms that something changed. */
  onChange(listener: () => void): () => void {
    return this.#news.listen(listener);
  }

  /** Replaces instances by new ones of the same release, and resolves when they have taken over. */
  restart(key: string, process: string | undefined, token: string): Promise<void> {
    return restart(
      { key, process, token },
      {
        memory: this.#memory,
        workload: this.#serving(key),
        plan: () => this.#plan,
        routed: () => this.#routes?.areApplied !== false,
        nextPass: () => this.#nextPass(),
      },
    );
  }

  /** The volumes that a workload mounts, by what is wanted and by what serves. */
  mountsOf(key: string): ReadonlySet<string> {
    const known = [this.#desired.slices.get(key)?.workload, this.#serving(key)];
    return new Set(
      known.flatMap((one) => one?.processes.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)) ?? []),
    );
  }

  /** Runs a process with a schedule once more, and resolves when that run has ended. */
  run(request: RunRequest) {
    return extraRun(request, {
      roster: this.#roster,
      workload: this.#serving(request.key),
      restart: this.#memory.restarts.get(processKey(request.key, request.process)),
      seen: () => this.#seen,
      now: () => this.#clock.now(),
      nextPass: () => this.#nextPass(),
    });
  }

  /** Stops looking; instances keep running. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    this.#roster.close();
    this.#news.close();
    this.#wake.up();
    await this.#working;
    for (const passed of this.#passed) passed();
  }

  #serving(key: string) {
    return servingWorkload(this.#desired.slices.get(key), this.#rollouts.records);
  }

  async #work(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#wake.wait(lookEvery);
      if (this.#closing.signal.aborted) return;
      await this.#pass();
      const passed = [...this.#passed];
      this.#passed.clear();
      for (const resolve of passed) resolve();
    }
  }

  async #nextPass(): Promise<void> {
    this.#wake.up();
    if (!this.#closing.signal.aborted) await new Promise<void>((resolve) => this.#passed.add(resolve));
    if (this.#closing.signal.aborted) throw new Error('The agent was stopped meanwhile.');
  }

  async #pass(): Promise<void> {
    try {
      const now = this.#clock.now();
      await this.#roster.look(now);
      this.#error = undefined;
      if (!this.#closing.signal.aborted) this.#converge(now);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const message = `The agent cannot inspect the instances of this machine: ${error instanceof Error ? error.message : String(error)}`;
      if (message !== this.#error) this.#options.log.warn(message);
      this.#error = message;
      this.#observed = { ...this.#observed, error: message };
      this.#news.tell(this.#observed);
    }
  }

  #converge(now: number): void {
    // The serving release, then the wanted one: an instance of both goes by the wanted one.
    const wanted = [...this.#desired.slices.values()];
    const known = [...wanted.map((slice) => inEffectOf(slice, this.#rollouts.records)), ...wanted];
    const seen = this.#roster.seen(now, currentProcesses(known, this.#memory.restarts), hostsOf(known));
    this.#seen = seen;
    if (!this.#desired.isKnown) {
      // No desired state has arrived yet, so nothing is added or removed.
      this.#observe(seen, now);
      return;
    }
    this.#memory.keepFor(known, now);
    this.#layouts.replaceOutdated(seen, this.#desired.slices);
    const planned = plan({
      ...{ wanted: this.#desired.slices, seen, now, ingress: this.#routes !== undefined },
      ...{ schedules: this.#memory.schedules, restarts: this.#memory.restarts, rollouts: this.#rollouts.records },
      ...{
        ...{ lastLines: (id: string) => this.#lastLines.of(id), visited: (id: string) => this.#visits.of(id) },
        routed: this.#routes?.haveApplied !== false && this.#names.haveApplied,
        forgotten: this.#names.areForgotten(now),
        ...{ journal: this.#options.journal, isForgotten: (key: string) => this.#rollouts.isForgotten(key) },
        standsStill: (key: string, process: Process) => this.standstill.holds(key, process),
      },
    });
    this.#plan = planned;
    this.#lastLines.read(planned.reads);
    this.#visits.pay(planned.visits);
    if (this.#rollouts.save(planned.rollouts)) this.#wake.up();
    for (const action of planned.actions) this.#decide(action, now);
    this.#memory.save();
    this.#routes?.set({ routes: planned.routes, ports: planned.ports });
    this.#names.set(known, planned.names, seen, now);
    if (planned.actions.some((action) => action.do === 'remove')) this.#upkeep.soon();
    for (const action of planned.actions) this.#operations.perform(action);
    for (const [key, slice] of planned.slices) {
      const wanted = this.#desired.slices.get(key);
      const reached = this.#routes?.areApplied !== false && this.#options.ingress?.failure === undefined;
      const routed = wanted?.workload?.routes.length === 0 || reached;
      if (slice.inEffect && routed && wanted !== undefined) this.#memory.applied.set(key, wanted.revision);
    }
    this.#memory.save();
    for (const key of this.#desired.removed.keys()) {
      if (!seen.some((one) => one.key === key && !one.retired)) this.#desired.forget(key);
    }
    this.#upkeep.refresh(now);
    this.#observe(seen, now);
  }

  /** Decisions that have to be remembered before anything is done about them. */
  #decide(action: Action, now: number): void {
    if (action.do === 'add') this.#roster.add(action, now);
    else if (action.do === 'retire') this.#roster.retire(action.id, now);
    else if (action.do === 'skip') {
      const name = scheduleKey(action.key, action.process);
      this.#memory.schedules.set(name, { from: now, ...this.#memory.schedules.get(name), skipped: action.due });
      const due = new Date(action.due).toISOString();
      const message = `The run due at ${due} was skipped, because this run has not finished.`;
      this.#roster.say(action.key, action.process.name, message);
    } else return;
    this.#wake.up();
  }

  #observe(seen: readonly Seen[], now: number): void {
    this.#statistics.refresh(now);
    const unreachable = this.#options.ingress?.failure;
    this.#observed = observeMachine({
      ...{ desired: this.#desired, applied: this.#memory.applied, plan: this.#plan, statistics: this.#statistics },
      ...{ seen, rollouts: this.#rollouts.records, node: this.#options.node, now, unreachable },
      disk: this.#upkeep.disk,
      error: this.#error ?? unreachable ?? this.#routes?.error ?? this.#names.error,
    });
    this.#news.tell(this.#observed);
  }
}
