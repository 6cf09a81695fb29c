import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import type { ShownInstance, ShownWorkload } from '../applications/applications.ts';
import { AgentMachine } from '../deployments/agent-machine.ts';
import type { ShownDeployment } from '../deployments/deliveries.ts';
import { eventFaults, stageFaults } from '../deployments/faults.ts';
import { patient } from '../run/patience.ts';
import type { Client } from './client.ts';
import type { Facts, Row } from './facts.ts';
import { allPlaces, type Ground, type Place } from './ground.ts';
import type { Hint } from './operators.ts';
import { followed, rowsOf, type Watcher } from './watcher.ts';

/** Tables in which the thing of a hint may be, beside those of actors. */
const hinted: Record<string, string> = { approval: 'approval', environment: 'environment', service: 'service' };

/** All that stands when nothing is in progress any more, read from rows, the API, Temporal and the machine. */
export class Aftermath {
  readonly #ground: Ground;
  readonly #reader: Client;

  constructor(ground: Ground, reader: Client) {
    this.#ground = ground;
    this.#reader = reader;
  }

  /** Waits until nothing is in progress. When the time is over it says in sentences what still is, rows aside: they say it themselves. */
  async quiet(watcher: Watcher, seconds: number): Promise<string[]> {
    const end = Date.now() + patient(seconds * 1_000);
    for (;;) {
      const open = await this.#open(watcher).catch((error: unknown) => [error]);
      const left = await this.#underWay().catch((error: unknown) => [`It cannot be asked: ${String(error)}`]);
      // Only then: it lists all workflows and rows.
      const strays = open.length + left.length === 0 ? await this.#strays().catch((error: unknown) => [error]) : [];
      if (open.length + left.length + strays.length === 0 || Date.now() > end) return left;
      await pause(1_000);
    }
  }

  /** An actor ends a moment after its row, or when the reconciler has asked it to look. */
  async #strays(): Promise<Row[]> {
    const rows = await this.#rows(await this.#runningWorkflows());
    return rows.filter(({ final, runs }) => final && runs);
  }

  async #open(watcher: Watcher): Promise<unknown[]> {
    const { kysely } = await this.#ground.installation.database();
    const commands = kysely.selectFrom('cluster_command').select('id').where('finished_at', 'is', null);
    return [...(await watcher.look()), ...(await commands.execute())];
  }

  async #underWay(): Promise<string[]> {
    const { installation } = this.#ground;
    const { kysely } = await installation.database();
    const messages = await kysely.selectFrom('outbox').select(['actor_id', 'message', 'last_error']).execute();
    const { ready = false } = (await installation.readiness()) ?? {};
    return [
      ...messages.map((one) => `${one.actor_id} was not told ${one.message ?? 'to start'}: ${one.last_error ?? ''}`),
      ...(ready ? await this.#unsettled() : ['/readyz does not say that all parts are ready.']),
    ];
  }

  /** Services that do not run as their environment says. */
  async #unsettled(): Promise<string[]> {
    const workloads = await this.#workloads();
    const missing = workloads.flatMap(({ key, state, error }) =>
      state === 'applied' ? [] : [`The workload ${key} is ${state}: ${error}`],
    );
    const starting = workloads.flatMap(({ instances }) =>
      instances.flatMap(({ id, state }) =>
        ['ready', 'ended'].includes(state) ? [] : [`The instance ${id} is ${state}.`],
      ),
    );
    return [...missing, ...starting];
  }

  async gather(hints: Iterable<Hint>): Promise<Partial<Facts>> {
    const workflows = await this.#runningWorkflows();
    const rows = await this.#rows(workflows);
    const deployments = rows.filter(({ kind }) => kind === 'deployment');
    for (const row of rows) if (row.final && row.runs) row.message = await this.#pendingOf(actorId(row.kind, row.id));
    return {
      rows,
      ...{ decisions: await this.#decisions(), effects: await this.#effects(), commandRuns: await this.#commandRuns() },
      ...{ values: await this.#values(), suspensions: await this.#suspensions(), running: await this.#running() },
      ...{ accounts: await this.#accounts(deployments), strayHints: await this.#strayHints(hints, rows) },
      leftovers: [...(await this.#leftovers()), ...strayWorkflows(workflows, rows)],
    };
  }

  async #rows(workflows: ReadonlySet<string>): Promise<Row[]> {
    const { kysely } = await this.#ground.installation.database();
    const found: Row[] = [];
    for (const { kind, table } of followed) {
      for (const { id, state, final, message, blocker } of await rowsOf(this.#ground, table)) {
        const runs = workflows.has(actorId(kind, id));
        found.push({ kind, id, state, final, message: blocker ?? message ?? '', runs });
      }
    }
    const members = await kysely.selectFrom('deployment').select(['id', 'change_set_id', 'service_id']).execute();
    const memberOf = new Map(members.map((one) => [one.id, one]));
    for (const row of found) {
      const { change_set_id: changeSetId, service_id: serviceId } = memberOf.get(row.id) ?? {};
      if (changeSetId) Object.assign(row, { changeSetId, serviceId });
    }
    const commands = await kysely.selectFrom('cluster_command').select(['id', 'state', 'finished_at']).execute();
    const ofCommand = ({ id, state, finished_at: finished }: (typeof commands)[number]): Row => ({
      ...{ kind: 'command', id, state, final: finished !== null, message: '', runs: false },
    });
    return [...found, ...commands.map(ofCommand)];
  }

  async #runningWorkflows(): Promise<Set<string>> {
    const { temporal } = await this.#ground.installation.inside();
    const found = new Set<string>();
    for await (const { workflowId } of temporal.client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      found.add(workflowId);
    return found;
  }

  /** The steps that Temporal still has of it. */
  async #pendingOf(workflowId: string): Promise<string> {
    const { temporal } = await this.#ground.installation.inside();
    const { connection, namespace } = temporal;
    const { pendingActivities, pendingWorkflowTask } = await connection.workflowService.describeWorkflowExecution({
      ...{ namespace, execution: { workflowId } },
    });
    const steps = (pendingActivities ?? []).map(({ activityType, attempt, state, lastFailure, scheduledTime }) => ({
      ...{ step: activityType?.name, attempt, state, failure: lastFailure?.message, scheduledTime },
    }));
    return JSON.stringify({ steps, task: pendingWorkflowTask });
  }

  async #decisions(): Promise<Record<string, string>> {
    const { kysely } = await this.#ground.installation.database();
    const rows = await kysely.selectFrom('approval').select(['id', 'decision']).execute();
    return Object.fromEntries(rows.map(({ id, decision }) => [id, decision ?? '']));
  }

  /** Requests of clients are known by the ids that they gave. */
  async #effects(): Promise<Facts['effects']> {
    const { kysely } = await this.#ground.installation.database();
    const rows = await kysely
      .selectFrom('audit_record')
      .select(['request_id', 'action', 'subject_id'])
      .where('request_id', 'like', 'chaos-%')
      .execute();
    return rows.map((one) => ({ requestId: one.request_id ?? '', action: one.action, subjectId: one.subject_id }));
  }

  async #commandRuns(): Promise<Facts['commandRuns']> {
    const { kysely } = await this.#ground.installation.database();
    const ran = await tenant(kysely, this.#ground.organizationId)
      .selectFrom('deployment')
      .innerJoin('release', 'release.id', 'deployment.release_id')
      .select([sql<string | null>`release.content #>> '{variables,NUMBER}'`.as('mark'), 'deployment.stages'])
      .execute();
    const allowed = new Map<string, number>();
    for (const { mark, stages } of ran) {
      const has = (stages as { stage?: string }[]).some(({ stage }) => stage === 'release-command');
      if (mark !== null && has) allowed.set(mark, (allowed.get(mark) ?? 0) + 1);
    }
    const times = new Map<string, number>();
    for (const line of this.#ground.commandLines()) times.set(line, (times.get(line) ?? 0) + 1);
    return [...times].map(([mark, count]) => ({ mark, times: count, allowed: allowed.get(mark) ?? 0 }));
  }

  async #values(): Promise<Facts['values']> {
    const found: Facts['values'] = [];
    for (const environmentId of new Set(allPlaces(this.#ground.places).map((place) => place.environmentId))) {
      type Listed = { items: { serviceId?: string; key: string; value: string }[] };
      const listed = await this.#must<Listed>(`/environments/${environmentId}/variables?limit=200`);
      for (const { serviceId = '', key, value } of listed.items) found.push({ environmentId, serviceId, key, value });
    }
    return found;
  }

  async #suspensions(): Promise<Facts['suspensions']> {
    const { kysely } = await this.#ground.installation.database();
    const rows = await kysely
      .selectFrom('environment_service')
      .select(['environment_id as environmentId', 'service_id as serviceId', 'suspended'])
      .execute();
    return rows;
  }

  async #running(): Promise<Facts['running']> {
    const workloads = await this.#workloads();
    return allPlaces(this.#ground.places).map(({ environmentId, serviceId }) => {
      const own = workloads.filter(({ key }) => key === keyOf({ environmentId, serviceId }));
      const ready = own.flatMap(({ instances }) => instances).filter(({ state }) => state === 'ready');
      return { environmentId, serviceId, releases: [...new Set(ready.map(({ release }) => release))] };
    });
  }

  /** Stages and events, as people see them. */
  async #accounts(deployments: readonly Row[]): Promise<Facts['accounts']> {
    const found: Facts['accounts'] = [];
    for (const { id, final } of deployments) {
      if (!final) continue;
      const shown = await this.#must<ShownDeployment>(`/deployments/${id}`);
      type Events = { items: { kind: string; stage: string }[] };
      const { items } = await this.#must<Events>(`/deployments/${id}/events?limit=200`);
      const faults = [...stageFaults(shown), ...eventFaults(shown, items)];
      found.push(...faults.map((fault) => ({ deploymentId: id, fault })));
    }
    return found;
  }

  async #strayHints(hints: Iterable<Hint>, rows: readonly Row[]): Promise<Hint[]> {
    const { kysely } = await this.#ground.installation.database();
    const known = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
    const found: Hint[] = [];
    for (const { kind, id } of hints) {
      const table = hinted[kind];
      const isActor = followed.some((one) => one.kind === kind);
      if (isActor && !known.has(`${kind} ${id}`)) found.push({ kind, id });
      if (table === undefined) continue;
      const { rows: there } = await sql`select 1 from ${sql.table(table)} where id = ${id}`.execute(kysely);
      if (there.length === 0) found.push({ kind, id });
    }
    return found;
  }

  /** Instances, their processes and their directories that belong to no service. */
  async #leftovers(): Promise<string[]> {
    const machine = new AgentMachine(this.#ground.installation.home);
    const workloads = await this.#workloads();
    const keys = new Set(allPlaces(this.#ground.places).map(keyOf));
    const shown = workloads.flatMap(({ instances }) => instances);
    const ids = new Set(shown.map(({ id }) => id));
    const alive = new Set(shown.filter(({ state }: ShownInstance) => state !== 'ended').map(({ id }) => id));
    const stray = (of: readonly string[], may: ReadonlySet<string>, what: string) =>
      of.filter((id) => !may.has(id)).map((id) => `${what} ${id} belongs to no instance.`);
    return [
      ...workloads.filter(({ key }) => !keys.has(key)).map(({ key }) => `The workload ${key} belongs to no service.`),
      ...stray(machine.working(), alive, 'A process of'),
      ...stray(machine.instances(), ids, 'The directory'),
      ...stray(machine.trees(), ids, 'The tree'),
    ];
  }

  async #workloads(): Promise<ShownWorkload[]> {
    const { items } = await this.#must<{ items: { id: string }[] }>('/clusters');
    const listed = await this.#must<{ items: ShownWorkload[] }>(`/clusters/${items[0]?.id}/workloads?limit=100`);
    return listed.items;
  }

  async #must<T>(path: string): Promise<T> {
    const body = await this.#reader.read<T>(path);
    if (body === undefined) throw new Error(`GET ${path} was not answered.`);
    return body;
  }
}

function keyOf({ environmentId, serviceId }: Pick<Place, 'environmentId' | 'serviceId'>): string {
  return `env/${environmentId}/${serviceId}`;
}

/** Workflows of actors that have no row. */
function strayWorkflows(workflows: ReadonlySet<string>, rows: readonly Row[]): string[] {
  const actors = new Set<string>(rows.map(({ kind, id }) => actorId(kind, id)));
  return [...workflows]
    .filter((id) => followed.some(({ kind }) => id.startsWith(`${kind}/`)) && !actors.has(id))
    .map((id) => `The workflow ${id} runs, and has no row.`);
}
