import type { Action, DesiredSlice, Seen } from '../../agent/keep/observe/seen.ts';
import { scheduleKey } from '../../agent/keep/plan/keys.ts';
import { plan } from '../../agent/keep/plan/plan.ts';
import { isReleaseCommand } from '../../agent/keep/plan/plan-command.ts';
import type { RolloutRecord } from '../../agent/keep/plan/rollout-record.ts';
import type { AnswerFault } from '../../domain/deployments/answer-faults.ts';
import { workload as workloadSchema } from '../../protocol/workload.ts';

export const second = 1000;

export interface Shape {
  release?: string;
  replicas?: number;
  hosts?: string[];
  process?: object;
  more?: object;
}

export function slice(
  key: string,
  { release = 'r1', replicas = 2, hosts = [], process = {}, more = {} }: Shape = {},
): DesiredSlice {
  const web = { name: 'web', kind: 'http', port: 8080, replicas, stabilizationSeconds: 0, ...process };
  return {
    key,
    revision: 1,
    workload: workloadSchema.parse({
      release,
      image: { layout: '/images/app' },
      processes: [web],
      routes: hosts.map((host) => ({ host, process: 'web' })),
      ...more,
    }),
  };
}

/** A slice whose release is put in place as a whole. */
export function rolled(
  key: string,
  release: string,
  { id = release, ...shape }: Shape & { id?: string } = {},
): DesiredSlice {
  const image = { layout: '/images/app', digest: `sha256:${'0'.repeat(64)}` };
  return slice(key, { ...shape, release, more: { image, rollout: { id, digest: 'd' }, ...shape.more } });
}

/** A machine on which actions are done at once, and things happen only when they are made to. */
export class World {
  now = 1_000_000;
  wanted = new Map<string, DesiredSlice>();
  seen: Seen[] = [];
  restarts = new Map<string, string>();
  rollouts: ReadonlyMap<string, RolloutRecord> = new Map();
  /** What was set before is where requests come in. */
  routed = true;
  /** What visitors get, by rollout; nothing while nobody has asked. */
  visits: (rollout: string) => readonly AnswerFault[] | undefined = () => [];
  forgotten = true;
  journal = '0198a000-0000-7000-8000-000000000000';
  /** Slices whose records cannot be read. */
  damaged = new Set<string>();
  /** Volumes whose data are being replaced, by key and name. */
  still = new Set<string>();
  schedules = new Map<string, { from: number; skipped?: number }>();
  #ids = 0;
  /** Release commands that were started, each as often as it was. */
  commands: string[] = [];

  want(...slices: DesiredSlice[]): void {
    for (const one of slices) this.wanted.set(one.key, one);
  }

  planned() {
    const { damaged, still, visits, ...machine } = this;
    return plan({
      ...machine,
      ...{ lastLines: () => ['the last line'], ingress: true, isForgotten: (key: string) => damaged.has(key) },
      standsStill: (key, { mounts }) => mounts.some(({ volume }) => still.has(`${key} ${volume}`)),
      visited: visits,
    });
  }

  step() {
    const planned = this.planned();
    this.rollouts = planned.rollouts;
    for (const action of planned.actions) this.#do(action);
    return planned;
  }

  copy(): World {
    const { seen, rollouts, schedules, restarts, commands, ...rest } = this;
    const kept = {
      ...rest,
      commands: [...commands],
      seen: seen.map((one) => ({ ...one })),
      rollouts: new Map(rollouts),
    };
    const made = { schedules: new Map(schedules), restarts: new Map(restarts) };
    const copied = Object.assign(new World(), kept, made);
    copied.#ids = this.#ids;
    return copied;
  }

  /** Everything that runs is ready at once, and everything that can be done is. */
  settle(): void {
    for (let round = 0; round < 100; round += 1) {
      this.now += 61 * second;
      for (const one of this.seen) if (one.state === 'running' && isReleaseCommand(one)) this.end(one, 0);
      for (const one of this.seen) if (one.state === 'running' && !one.ready) Object.assign(one, this.#readiness(true));
      const before = this.#phases();
      if (this.step().actions.length === 0 && this.#phases() === before) return;
    }
    throw new Error('it never comes to an end');
  }

  #phases(): string {
    return [...this.rollouts.values()].map(({ rollout }) => `${rollout.id} ${rollout.phase}`).join();
  }

  #readiness(ready: boolean) {
    return { ready, started: true, since: this.now - 10 * second };
  }

  #do(action: Action): void {
    if (action.do === 'skip') {
      const name = scheduleKey(action.key, action.process);
      this.schedules.set(name, { from: 0, ...this.schedules.get(name), skipped: action.due });
      return;
    }
    if (action.do === 'add') {
      this.#ids += 1;
      const id = action.id ?? `${action.process.name}-${String(this.#ids).padStart(8, '0')}`;
      const { key, label, process } = action;
      const fresh = {
        busy: false,
        retired: false,
        started: false,
        ready: false,
        wasReady: false,
        notBefore: 0,
        run: 0,
      };
      this.seen.push({ ...fresh, id, key, label, process, state: 'preparing', since: this.now });
      return;
    }
    const one = this.seen.find(({ id }) => id === action.id);
    if (one === undefined) throw new Error(`${action.do} of ${action.id}, which is not there`);
    if (action.do === 'create') one.state = 'created';
    else if (action.do === 'start') {
      if (one.retired) throw new Error('what was retired was started');
      if (isReleaseCommand(one)) this.commands.push(one.id);
      Object.assign(one, { state: 'running', run: one.run + 1, ready: false, since: this.now });
      one.address = { host: '127.0.0.1', port: 20_000 + this.#ids };
      delete one.sick;
    } else if (action.do === 'retire') one.retired = true;
    else if (action.do === 'remove') this.seen = this.seen.filter((other) => other !== one);
    else this.end(one);
  }

  end(one: Seen, code = 1): void {
    Object.assign(one, { state: 'ended', ready: false, since: this.now, notBefore: this.now + second });
    one.exit = { run: one.run, code, at: new Date(this.now) };
  }
}
