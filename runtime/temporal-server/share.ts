interface Doing {
  done: number;
  total: number;
  sinceMilliseconds: number;
}

/** An estimate made of less would jump about. */
const leastShare = 0.02;
const leastMilliseconds = 2_000;

/** "34 %, about 12 s left": the share that is done, and the remaining time at the present pace. */
export function tellShare({ done, total, sinceMilliseconds }: Doing): string {
  // All but the end is not the end: what is counted last is not always what is done last.
  const share = Math.min(done / total, 0.99);
  const percent = `${Math.floor(share * 100)} %`;
  if (share < leastShare || sinceMilliseconds < leastMilliseconds) return percent;
  return `${percent}, about ${inWords((sinceMilliseconds * (1 - share)) / share)} left`;
}

function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
