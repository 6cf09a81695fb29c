import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { type CommandState, deleteVolumesMinor, isCommandOver } from '../../../domain/clusters/clusters.ts';
import { createCommand } from '../../commands/cluster-commands.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import type { ThingToPurge } from '../things/deleted-things.ts';
import { type DataLocation, placeInWords, placesWithData } from './places.ts';

interface Made {
  state: CommandState;
  message: string | null;
  /** Since it ended, or 0. */
  restedSeconds: number;
}

/** The commands of deletions so far, by their ids. */
type Attempts = ReadonlyMap<string, Made>;

/** The last of the commands by which a deletion has had an agent asked for one place. */
interface LastAttempt {
  id: string;
  /** undefined: it is not asked for yet. */
  state: CommandState | undefined;
  /** Of the last one that failed. */
  message: string | null;
  isDue: boolean;
}

interface RequestedDataDeletion {
  deletionId: string;
  clusterId: string;
  key: string;
}

/** An agent that fails at once is asked again after this, then after twice as long, up to an hour. */
const firstPauseSeconds = 5;
const longestPauseSeconds = 3_600;

/** All commands of these deletions, in one statement: none is older than the first of their purges. */
export async function attemptsOf(
  kysely: Kysely<Tables>,
  organizationId: string,
  deletionIds: readonly string[],
): Promise<Attempts> {
  const { rows } = await sql<Made & { id: string }>`
    select id, state, message,
      coalesce(extract(epoch from now() - finished_at), 0)::float8 as "restedSeconds"
    from cluster_command
    where organization_id = ${organizationId} and kind = 'delete-volumes'
      and actor_id = any(${deletionIds.map((id) => actorId('deletion', id))}::text[])
      and created_at >= coalesce(
        (select min(purge_started_at) from deletion where id = any(${deletionIds}::uuid[])), '-infinity')
  `.execute(kysely);
  return new Map(rows.map(({ id, ...made }) => [id, made]));
}

/**
 * Of one command after the other, whose ids follow from the deletion and the place: one that failed is followed by another
 * one after a pause.
 */
export function lastAttempt(attempts: Attempts, { deletionId, clusterId, key }: RequestedDataDeletion): LastAttempt {
  let message: string | null = null;
  let isDue = true;
  for (let attempt = 0; ; attempt += 1) {
    const id = idOf([deletionId, clusterId, key, attempt]);
    const made = attempts.get(id);
    if (made === undefined) return { id, state: undefined, message, isDue };
    if (made.state === 'done' || !isCommandOver(made.state)) return { id, state: made.state, message, isDue };
    message = made.message;
    isDue = made.restedSeconds >= Math.min(firstPauseSeconds * 2 ** attempt, longestPauseSeconds);
  }
}

/** A UUID that is the same whenever it is asked for. */
function idOf(parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/** `waits`: for whom, in a sentence. `undeleted`: data that nobody reaches any more, in a sentence. */
interface DataDeletion {
  waits?: string;
  undeleted?: string;
}

/** An agent that is away takes the command when it is back, however long that lasts. */
const expiresInSeconds = 10 * 365 * 86_400;
/** So many are named. */
const [mostWaits, mostNamed] = [3, 5];

/** Has the volumes of the thing deleted on their clusters, by a command to the agent of each. Neither: nothing of them is left. */
export async function deleteData(effect: Effect, keyring: Secrets, thing: ThingToPurge): Promise<DataDeletion> {
  const { deletionId, organizationId } = thing;
  const places = await placesWithData(effect.kysely, thing);
  const attempts = await attemptsOf(effect.kysely, organizationId, [deletionId]);
  const waits = new Set<string>();
  const undeleted: DataLocation[] = [];
  for (const place of places) {
    const { clusterId, volumes } = place;
    const key = keyOf(place);
    const last = lastAttempt(attempts, { deletionId, clusterId, key });
    if (last.state === 'done') continue;
    if (place.removed) {
      undeleted.push(place);
      continue;
    }
    if (last.state === undefined && last.isDue) {
      const body = { kind: 'delete-volumes', key, ...(volumes === null ? {} : { volumes }) };
      const asking = { id: last.id, body, actorId: actorId('deletion', deletionId), expiresInSeconds };
      await createCommand(effect, keyring, { id: clusterId, organizationId }, asking);
    }
    waits.add(waitsFor(place, last));
  }
  return {
    ...(waits.size === 0 ? {} : { waits: [...waits].slice(0, mostWaits).join(' ') }),
    ...(undeleted.length === 0 ? {} : { undeleted: outOfReach(undeleted) }),
  };
}

/** The key of the workload whose volumes they are. */
export function keyOf({ environmentId, serviceId }: Pick<DataLocation, 'environmentId' | 'serviceId'>): string {
  return `env/${environmentId}/${serviceId}`;
}

function waitsFor({ cluster, clusterSlug, contact, protocolMinor }: DataLocation, { message }: LastAttempt): string {
  const still = `The agent of the cluster "${cluster}" is still to delete its data`;
  const lost = 'If the machine is lost, revoke the agent and delete the cluster.';
  if (contact === 'never') return `${still}, and the cluster has no agent: let one join on its machine. ${lost}`;
  if (contact === 'lost') return `${still}, and has lost contact: start its machine and the agent there. ${lost}`;
  if (protocolMinor < deleteVolumesMinor)
    return `${still}, and is too old for it: update it with \`./ballast cluster update --cluster ${clusterSlug}\`.`;
  return message === null ? `${still}.` : `${still}; it said: ${message}`;
}

function outOfReach(places: readonly DataLocation[]): string {
  const clusters = [...new Set(places.map(({ clusterId }) => clusterId))];
  const sentences = clusters.map((clusterId) => {
    const there = places.filter((place) => place.clusterId === clusterId);
    const more = there.length > mostNamed ? ` and ${there.length - mostNamed} more` : '';
    const named = there.slice(0, mostNamed).map(placeInWords).join(', ');
    return `The data of ${named}${more} on the cluster "${there[0]?.cluster}" could not be deleted, since that cluster was removed before: delete on its machine what is left of them.`;
  });
  return sentences.join(' ');
}
