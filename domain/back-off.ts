export interface BackOff {
  first: number;
  longest: number;
}

/** Milliseconds to wait after so many failures in a row: twice as long after each, up to `longest`. */
export function backOff(failures: number, { first, longest }: BackOff): number {
  return Math.min(longest, first * 2 ** (failures - 1));
}
