import type { DeploymentStage, StageTime } from './states.ts';

/** The whole deployment, or one of its stages. */
export type Series = 'total' | DeploymentStage;

/** How many deployments took how long: numbers by bucket, by series. */
export type Durations = Partial<Record<Series, Record<string, number>>>;

/** A length in milliseconds, and how many were so long. */
export type Weighted = readonly [millis: number, count: number];

/** Each bucket is 2 % longer than the one before: a length is told to within 1 %. */
const growth = Math.log(1.02);

export function bucketOf(millis: number): number {
  return Math.round(Math.log(Math.max(1, millis)) / growth);
}

export function millisOf(bucket: number): number {
  return Math.exp(bucket * growth);
}

/**
 * The lengths that statistics count of a deployment that went live. The total is all of its stages but the approval: how
 * long a person took to decide says nothing of how long a deployment takes, and has a series of its own.
 */
export function lengthsOf(stages: readonly StageTime[]): [Series, number][] {
  const lengths = stages.flatMap(({ stage, startedAt, endedAt }): [DeploymentStage, number][] =>
    endedAt === undefined ? [] : [[stage, Math.max(0, Date.parse(endedAt) - Date.parse(startedAt))]],
  );
  const counted = lengths.filter(([stage]) => stage !== 'approval');
  if (counted.length === 0) return [];
  return [['total', counted.reduce((sum, [, millis]) => sum + millis, 0)], ...lengths];
}

/** The durations with one more deployment. */
export function withLengths(durations: Durations, lengths: readonly (readonly [Series, number])[]): Durations {
  const result: Durations = { ...durations };
  for (const [series, millis] of lengths) {
    const bucket = bucketOf(millis);
    const counts = result[series] ?? {};
    result[series] = { ...counts, [bucket]: (counts[bucket] ?? 0) + 1 };
  }
  return result;
}

/** The lengths of a series that were counted after the first and by the last. */
export function between(first: Durations, last: Durations, series: Series): Weighted[] {
  const before = first[series] ?? {};
  return Object.entries(last[series] ?? {}).flatMap(([bucket, count]): Weighted[] => {
    const more = count - (before[bucket] ?? 0);
    return more > 0 ? [[millisOf(Number(bucket)), more]] : [];
  });
}

/** The length that this part of all stays below, interpolated as `percentile_cont` does; 0 of none. */
export function quantile(lengths: readonly Weighted[], part: number): number {
  const sorted = lengths.toSorted(([one], [other]) => one - other);
  const rank = (sorted.reduce((sum, [, count]) => sum + count, 0) - 1) * part;
  if (rank < 0) return 0;
  const [low, high] = [at(sorted, Math.floor(rank)), at(sorted, Math.ceil(rank))];
  return low + (high - low) * (rank - Math.floor(rank));
}

function at(sorted: readonly Weighted[], rank: number): number {
  let seen = 0;
  for (const [millis, count] of sorted) {
    seen += count;
    if (seen > rank) return millis;
  }
  return sorted.at(-1)?.[0] ?? 0;
}
