import { isDeepStrictEqual } from 'node:util';
import type { PlacedProcess, ServiceSettings } from '../services/settings.ts';
import { replacing, volumesOf } from '../services/volumes.ts';

/** A process whose old instance ends before its new one starts, because of these volumes. */
export interface Stop {
  process: string;
  volumes: { id: string; name: string }[];
}

/**
 * The processes that are down for a moment when `next` replaces what is live: the agent starts no second instance beside one
 * that has the same volume. One that gets its first volume, or loses its last one, is replaced like any other.
 */
export function stopsOf(live: ServiceSettings, next: ServiceSettings): Stop[] {
  return Object.entries(live.processes).flatMap(([id, before]) => {
    const after = next.processes[id];
    if (after === undefined || before.replicas + after.replicas === 0) return [];
    const volumes = shared(before, after);
    return volumes.length === 0 ? [] : [{ process: before.name, volumes }];
  });
}

function shared(before: PlacedProcess, after: PlacedProcess): Stop['volumes'] {
  return volumesOf(before).flatMap(({ id, name }) => (after.volumes?.[id] === undefined ? [] : [{ id, name }]));
}

/** Whether settings alone replace instances: they differ in more than replicas and sizes of volumes. */
export function isReplaced(live: ServiceSettings, next: ServiceSettings): boolean {
  return !isDeepStrictEqual(replacing(live), replacing(next));
}

/** Whether all of these volumes are among those for which somebody has accepted it. */
export function isAccepted(stops: readonly Stop[], accepted: readonly string[]): boolean {
  return stops.every(({ volumes }) => volumes.every(({ id }) => accepted.includes(id)));
}

interface Down {
  name: string;
  stops: readonly Stop[];
  /** The environment was given another cluster: data stay on the one where they are. */
  moved: boolean;
}

export function downtimeSentence(
  services: readonly Down[],
  advice = 'Accept the downtime, or leave it as it is.',
): string {
  const parts = services.map(({ name, stops, moved }) => {
    const processes = stops.map(({ process, volumes }) => `${process} (${volumes.map((one) => one.name).join(', ')})`);
    const where = moved ? ', and the data of its volumes stay on the cluster that it leaves' : '';
    return `"${name}" is down for a moment, because only one instance at a time may have a volume: ${processes.join(', ')}${where}`;
  });
  return `${parts.join('; ')}. ${advice}`;
}
