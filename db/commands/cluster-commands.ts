import { CompiledQuery, type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { ActorId } from '../../domain/actors/actors.ts';
import { parseActorId } from '../../domain/actors/actors.ts';
import type { CommandState } from '../../domain/clusters/clusters.ts';
import { commandMinors, isCommandOver } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import { type ClusterRef, wakeAgent } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';

export interface NewCommand {
  /** Given by an actor, so that asking twice makes one command. */
  id?: string | undefined;
  /** `commandBody` of protocol/command.ts, already validated by the caller. */
  body: { kind: string; [field: string]: unknown };
  /** Told `commandFinished` with the result. */
  actorId?: ActorId | undefined;
  /** Not taken by then, it is not done any more. */
  expiresInSeconds?: number | undefined;
}

export interface CommandView {
  id: string;
  clusterId: string;
  kind: string;
  state: CommandState;
  exitCode: number | null;
  message: string | null;
  cancelRequestedAt: Date | null;
  requestedBy: { kind: 'user' | 'token' | 'machine' | 'actor'; id: string; name: string };
  createdAt: Date;
  deliveredAt: Date | null;
  finishedAt: Date | null;
}

const leaseSeconds = 60;

/** Asks the agent to do something once. Answers the command's id. */
export async function createCommand(
  effect: Effect,
  keyring: Secrets,
  cluster: ClusterRef,
  command: NewCommand,
): Promise<string> {
  const { id = uuid(), body, actorId, expiresInSeconds = 600 } = command;
  const { author } = effect;
  const { organizationId } = cluster;
  await effect.kysely
    .insertInto('cluster_command')
    .values({
      id,
      organization_id: organizationId,
      cluster_id: cluster.id,
      kind: body.kind,
      sealed_body: await keyring.encryptSecret(organizationId, boundTo(id), JSON.stringify(body)),
      actor_id: actorId ?? null,
      requested_by_kind: author.kind,
      requested_by_id: author.id,
      requested_by_name: author.name,
      expires_at: sql`now() + make_interval(secs => ${expiresInSeconds})`,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  wakeAgent(effect, cluster);
  return id;
}

/** One that the agent has not taken is cancelled at once; the other is asked to stop. Answers its state then. */
export async function cancelCommand(
  effect: Effect,
  cluster: ClusterRef,
  id: string,
): Promise<CommandState | undefined> {
  const row = await effect.kysely
    .selectFrom('cluster_command')
    .select('state')
    .where('id', '=', id)
    .where('cluster_id', '=', cluster.id)
    .where('organization_id', '=', cluster.organizationId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || isCommandOver(row.state)) return row?.state;
  if (row.state === 'queued') {
    await endCommand(effect, id, { state: 'cancelled' });
    return 'cancelled';
  }
  await effect.kysely
    .updateTable('cluster_command')
    .set({ cancel_requested_at: sql`coalesce(cancel_requested_at, now())` })
    .where('id', '=', id)
    .execute();
  wakeAgent(effect, cluster);
  return row.state;
}

export async function commandView(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  id: string,
): Promise<CommandView | undefined> {
  const row = await kysely
    .selectFrom('cluster_command')
    .selectAll()
    .where('id', '=', id)
    .where('cluster_id', '=', cluster.id)
    .where('organization_id', '=', cluster.organizationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    clusterId: row.cluster_id,
    kind: row.kind,
    state: row.state,
    exitCode: row.exit_code,
    message: row.message,
    cancelRequestedAt: row.cancel_requested_at,
    requestedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
    finishedAt: row.finished_at,
  };
}

export interface CommandEnd {
  state: Exclude<CommandState, 'queued' | 'delivered'>;
  exitCode?: number | undefined;
  message?: string | undefined;
  /** Of a backup. */
  stored?: object | undefined;
}

/** Ends a command that is not over yet, and tells the actor that waits for it. `false`: it is over already. */
export async function endCommand(effect: Effect, id: string, end: CommandEnd): Promise<boolean> {
  const { state, exitCode = null, message = null, stored } = end;
  const row = await effect.kysely
    .updateTable('cluster_command')
    .set({ state, exit_code: exitCode, message, finished_at: sql`now()`, lease_until: null })
    .$if(stored !== undefined, (query) => query.set({ stored: sql`${JSON.stringify(stored)}::jsonb` }))
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .returning(['organization_id as organizationId', 'actor_id'])
    .executeTakeFirst();
  if (row === undefined) return false;
  const { organizationId } = row;
  effect.change({ organizationId, kind: 'cluster_command', id });
  const actor = row.actor_id === null ? undefined : parseActorId(row.actor_id);
  if (actor === undefined) return true;
  const body: JsonObject = { commandId: id, state, exitCode, message };
  effect.tell({ to: `${actor.kind}/${actor.rowId}`, message: 'commandFinished', organizationId, body });
  return true;
}

export interface DeliveredCommand {
  id: string;
  attempt: number;
  body: JsonObject;
}

export interface CommandWork {
  commands: DeliveredCommand[];
  /** At work, and asked to stop. */
  cancelled: string[];
  /** Something was delivered of which nothing was heard since: look again soon. */
  unheard: boolean;
}

/** After so long a command of which the agent said nothing is delivered to it again: the answer may have been lost. */
export const deliveredAgainSeconds = 6;

// A command is heard of when its lease was renewed after the delivery. The usual answer is "nothing": one index scan.
const openQuery = `
  select count(*) filter (where state = 'queued')::int as queued,
         count(*) filter (where state = 'delivered' and lease_until <= delivered_at + interval '${leaseSeconds} s')::int
           as unheard,
         coalesce(array_agg(id::text) filter (where state = 'delivered' and cancel_requested_at is not null), '{}')
           as cancelled
  from cluster_command where cluster_id = $1 and finished_at is null and kind <> all($2)`;

const takeQuery = `
  update cluster_command
  set state = 'delivered', journal_id = $2, delivered_at = now(), lease_until = now() + interval '${leaseSeconds} s'
  where id in (
    select id from cluster_command
    where cluster_id = $1 and finished_at is null and kind <> all($3) and expires_at > case when state = 'queued' then now() else '-infinity' end
      and (state = 'queued' or journal_id = $2 and (
        lease_until < now()
        or lease_until <= delivered_at + interval '${leaseSeconds} s'
           and delivered_at < now() - interval '${deliveredAgainSeconds} s'))
    order by created_at limit 100
    for update skip locked)
  returning id, attempt, organization_id as "organizationId", sealed_body as "sealedBody", created_at as "createdAt"`;

/**
 * Commands that the agent with this journal should start or stop: delivered at least once, run at most once. Those that its
 * minor of the protocol does not know wait until it is updated.
 */
export async function takeCommands(
  kysely: Kysely<Tables>,
  keyring: Secrets,
  { clusterId, journalId, protocolMinor }: { clusterId: string; journalId: string; protocolMinor: number },
): Promise<CommandWork> {
  const unknown = Object.entries(commandMinors).flatMap(([kind, minor]) => (protocolMinor < minor ? [kind] : []));
  const open = await kysely.executeQuery<{ queued: number; unheard: number; cancelled: string[] }>(
    CompiledQuery.raw(openQuery, [clusterId, unknown]),
  );
  const { queued = 0, unheard = 0, cancelled = [] } = open.rows[0] ?? {};
  const work: CommandWork = { commands: [], cancelled, unheard: unheard > 0 };
  if (queued === 0 && unheard === 0) return work;
  const taken = await kysely.executeQuery<{
    id: string;
    attempt: number;
    organizationId: string;
    sealedBody: Buffer;
    createdAt: Date;
  }>(CompiledQuery.raw(takeQuery, [clusterId, journalId, unknown]));
  const rows = taken.rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  for (const { id, attempt, organizationId, sealedBody } of rows) {
    work.commands.push({ id, attempt, body: await commandBody(keyring, organizationId, id, sealedBody) });
  }
  return work;
}

/** What was asked, decrypted. */
export async function commandBody(
  keyring: Secrets,
  organizationId: string,
  id: string,
  sealedBody: Buffer,
): Promise<JsonObject> {
  return JSON.parse(await keyring.decryptSecret(organizationId, boundTo(id), sealedBody));
}

/** Stores the agent's report of a command. A repeated or late report changes nothing. */
export async function finishCommand(
  effect: Effect,
  cluster: ClusterRef,
  id: string,
  result: { attempt: number; outcome: 'done' | 'failed' | 'unknown' | 'cancelled' } & Omit<CommandEnd, 'state'>,
): Promise<void> {
  const row = await ownCommand(effect.kysely, cluster, id).forUpdate().executeTakeFirst();
  if (row === undefined) throw noSuchCommand();
  if (isCommandOver(row.state) || result.attempt < row.attempt) return;
  const { outcome: state, exitCode, message, stored } = result;
  await endCommand(effect, id, { state, exitCode, message, stored });
}

/** The kind and state of a command that was delivered to this cluster. */
export function ownCommand(kysely: Kysely<Tables>, cluster: ClusterRef, id: string) {
  return kysely
    .selectFrom('cluster_command')
    .select(['kind', 'state', 'attempt', 'actor_id as actorId'])
    .where('id', '=', id)
    .where('cluster_id', '=', cluster.id);
}

export function noSuchCommand(): Problem {
  return new Problem('not-found', 'There is no such command on this cluster.');
}

function boundTo(id: string): string {
  return `cluster_command:${id}:sealed_body`;
}
