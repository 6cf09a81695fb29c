/** The parts that this version of Ballast brings and was tested with. */
export const postgresMajor = 18;
export const postgresVersion = '18.4';
export const temporalVersion = '1.31.2';
/** Can never change for a Temporal database once it is made. */
export const historyShards = 4;
export const homeLayout = 1;

/** Negative when `a` is older than `b`, positive when it is newer. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
