import { chances, shuffled } from '../deployments/matrix.ts';

const kept = ['postgres', 'temporal', 'api', 'worker', 'identity', 'agent'] as const;
export const faultyParts = [...kept, 'ingress', 'supervisor'] as const;
export type FaultyPart = (typeof faultyParts)[number];

export interface PlannedFault {
  /** Seconds after the fault before it. */
  after: number;
  what: 'kill' | 'pause';
  parts: FaultyPart[];
  /** Of a pause, in seconds. */
  lasts: number;
  /** Whether all parts are ready again before the next one. */
  rests: boolean;
}

/**
 * The faults of a seed, more than there is time for. Each kind of part is killed once before any of it repeats, with a pause
 * and a pair among them, so that a short run has all of them.
 */
export function schedule(seed: number, count = 200): PlannedFault[] {
  const chance = chances(seed);
  const from = (least: number, most: number) => least + Math.floor(chance() * (most - least + 1));
  const drawn = (): Pick<PlannedFault, 'what' | 'parts'> => {
    const pick = chance();
    const parts = shuffled<FaultyPart>(kept, chance);
    if (pick < 0.25) return { what: 'pause', parts: parts.slice(0, 1) };
    if (pick < 0.45) return { what: 'kill', parts: parts.slice(0, 2) };
    const [one = 'api'] = shuffled<FaultyPart>(faultyParts, chance);
    return { what: 'kill', parts: [one] };
  };
  const each = shuffled<FaultyPart>(faultyParts, chance).map((part) => ({
    what: 'kill' as const,
    parts: [part],
  }));
  const [paused = 'worker', ...others] = shuffled<FaultyPart>(kept, chance);
  const first: Pick<PlannedFault, 'what' | 'parts'>[] = [
    ...each.slice(0, 2),
    { what: 'pause', parts: [paused] },
    ...each.slice(2, 5),
    { what: 'kill', parts: others.slice(0, 2) },
    ...each.slice(5),
  ];
  return Array.from({ length: count }, (_, index) => {
    const { what, parts } = first[index] ?? drawn();
    return { after: from(3, 12), what, parts, lasts: what === 'pause' ? from(8, 40) : 0, rests: chance() < 0.4 };
  });
}
