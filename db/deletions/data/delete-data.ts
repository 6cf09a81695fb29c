import { actorId } from '../../../domain/actors/actors.ts';
import { deleteVolumesMinor } from '../../../domain/clusters/commands.ts';
import { volumeName } from '../../../domain/services/volumes.ts';
import { createCommand } from '../../commands/cluster-commands.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import type { ThingToPurge } from '../things/thing-row.ts';
import { attemptsOf, type LastAttempt, lastAttempt } from './attempts.ts';
import { type Place, placeInWords, placesWithData } from './places.ts';

/** `waits`: for whom, in a sentence. `undeleted`: data that nobody reaches any more, in a sentence. */
export interface DataDeletion {
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
  const undeleted: Place[] = [];
  for (const place of places) {
    const { clusterId, volumeId } = place;
    const key = keyOf(place);
    const last = lastAttempt(attempts, { deletionId, clusterId, key });
    if (last.state === 'done') continue;
    if (place.removed) {
      undeleted.push(place);
      continue;
    }
    if (last.state === undefined && last.isDue) {
      const volumes = volumeId === null ? {} : { volumes: [volumeName(volumeId)] };
      const body = { kind: 'delete-volumes', key, ...volumes };
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
export function keyOf({ environmentId, serviceId }: Pick<Place, 'environmentId' | 'serviceId'>): string {
  return `env/${environmentId}/${serviceId}`;
}

function waitsFor({ cluster, clusterSlug, contact, protocolMinor }: Place, { message }: LastAttempt): string {
  const still = `The agent of the cluster "${cluster}" is still to delete its data`;
  const lost = 'If the machine is lost, revoke the agent and delete the cluster.';
  if (contact === 'never') return `${still}, and the cluster has no agent: let one join on its machine. ${lost}`;
  if (contact === 'lost') return `${still}, and has lost contact: start its machine and the agent there. ${lost}`;
  if (protocolMinor < deleteVolumesMinor)
    return `${still}, and is too old for it: update it with \`./ballast cluster update --cluster ${clusterSlug}\`.`;
  return message === null ? `${still}.` : `${still}; it said: ${message}`;
}

function outOfReach(places: readonly Place[]): string {
  const clusters = [...new Set(places.map(({ clusterId }) => clusterId))];
  const sentences = clusters.map((clusterId) => {
    const there = places.filter((place) => place.clusterId === clusterId);
    const more = there.length > mostNamed ? ` and ${there.length - mostNamed} more` : '';
    const named = there.slice(0, mostNamed).map(placeInWords).join(', ');
    return `The data of ${named}${more} on the cluster "${there[0]?.cluster}" could not be deleted, since that cluster was removed before: delete on its machine what is left of them.`;
  });
  return sentences.join(' ');
}
