import type { ContainerInspectInfo } from 'dockerode';
import { defined } from '../../../domain/defined.ts';
import type { Log } from '../../program/log.ts';
import type { Instance } from '../driver.ts';
import { type Engine, unless } from './engine.ts';
import type { Events } from './events.ts';
import { MemoryUse } from './facts.ts';
import { homeLabel, readLabels } from './labels.ts';
import type { Networks } from './networks.ts';
import { hasEnded, isTime, type RunBook } from './runs.ts';

interface Around {
  engine: Engine;
  home: string;
  networks: Networks;
  runs: RunBook;
  events: Events;
  log: Log;
}

/** The containers of the home, as they are. */
export class Instances {
  readonly #around: Around;
  readonly #memory: MemoryUse;
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Instances as of the last event: inspecting 200 containers every second costs the engine a good deal. */
  readonly #seen = new Map<string, { status: string; instance: Instance }>();
  #generation = 0;
  #listing: Promise<Instance[]> | undefined;
  #next: Promise<Instance[]> | undefined;

  readonly #told = new Set<string>();

  constructor(around: Around) {
    this.#around = around;
    this.#memory = new MemoryUse(around.engine);
  }

  containerName(id: string): string {
    return `ballast-${this.#around.home}-${id}`;
  }

  /** Something may have changed: nothing that was seen before holds any more. */
  changed(): void {
    this.#generation += 1;
    this.#seen.clear();
  }

  /** Callers that ask during a listing share the next one, so that their answer is never older than their question. */
  list(): Promise<Instance[]> {
    if (this.#listing === undefined) {
      this.#listing = this.#list().finally(() => {
        this.#listing = undefined;
      });
      return this.#listing;
    }
    this.#next ??= this.#listing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.list();
      });
    return this.#next;
  }

  async #list(): Promise<Instance[]> {
    const filters = { label: [`${homeLabel}=${this.#around.home}`] };
    const listed = await this.#around.engine.ask((docker) => docker.listContainers({ all: true, filters }));
    const instances = await Promise.all(
      listed.map(async ({ Id, Labels, State }) => {
        const labelled = readLabels(Labels);
        if (labelled === undefined) this.#warnOnce(Id);
        if (labelled === undefined || State === 'removing') return [];
        const seen = this.#seen.get(labelled.id);
        const instance =
          seen?.status === State && this.#around.events.connected ? seen.instance : await this.look(labelled.id);
        return instance === undefined ? [] : [{ labelled, instance, container: this.containerName(labelled.id) }];
      }),
    );
    const running = instances.flat().filter(({ instance }) => instance.state === 'running');
    this.#memory.keep(new Set(running.map(({ container }) => container)));
    return instances.flat().map(({ instance, container }) => {
      const memoryBytes = instance.state === 'running' ? this.#memory.of(container) : undefined;
      return memoryBytes === undefined ? instance : { ...instance, memoryBytes };
    });
  }

  /** One look at a time at each, so that none is older than the one before. Nothing if it is not there, or not ours. */
  async look(id: string): Promise<Instance | undefined> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const turn = before.then(() => this.#look(id));
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(id, settled);
    void settled.then(() => {
      if (this.#turns.get(id) === settled) this.#turns.delete(id);
    });
    return await turn;
  }

  async #look(id: string): Promise<Instance | undefined> {
    const generation = this.#generation;
    const inspected = await this.inspect(id);
    const labelled = inspected && readLabels(inspected.Config.Labels);
    if (inspected === undefined || labelled?.id !== id || inspected.State.Status === 'removing') return undefined;
    const instance = this.#read(inspected, labelled);
    if (generation === this.#generation) this.#seen.set(id, { status: inspected.State.Status, instance });
    return instance;
  }

  /** The engine's view of a container; undefined unless it belongs to this home. */
  async inspect(id: string): Promise<ContainerInspectInfo | undefined> {
    const inspected = await this.#around.engine
      .ask((docker) => docker.getContainer(this.containerName(id)).inspect())
      .catch(unless(404));
    return inspected?.Config.Labels[homeLabel] === this.#around.home ? inspected : undefined;
  }

  /** Its address in its network, while it runs. */
  async networkAddress(id: string): Promise<string | undefined> {
    const inspected = await this.inspect(id);
    return inspected?.State.Running ? this.#around.networks.own(inspected) : undefined;
  }

  #warnOnce(container: string): void {
    if (this.#told.has(container)) return;
    this.#told.add(container);
    this.#around.log.warn(
      `The container ${container} has the labels of this agent, but they cannot be read: it is left alone.`,
    );
  }

  #read(inspected: ContainerInspectInfo, labelled: Omit<Instance, 'state' | 'run'>): Instance {
    const { State } = inspected;
    const { run, exit } = this.#around.runs.observe(labelled.id, State);
    const state = run === 0 ? 'created' : hasEnded(State) || State.Status === 'created' ? 'ended' : 'running';
    const { port } = labelled.process;
    const address =
      state === 'running' && port !== undefined ? this.#around.networks.address(port, inspected) : undefined;
    return {
      ...labelled,
      ...{ state, run },
      ...defined({ startedAt: isTime(State.StartedAt) ? new Date(State.StartedAt) : undefined, address, exit }),
    };
  }
}
