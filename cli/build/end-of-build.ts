import { printable } from '../engine/table.ts';
import type { Build } from './follow-build.ts';

/** How a build ended that nothing was deployed of. Its error ends with lines of the log, which somebody who has followed it has read. */
export function endOfBuild({ number, status, error, releaseError }: Build, followed: boolean): string {
  const [what, why] = status === 'succeeded' ? ['was built and not deployed', releaseError] : [status, error];
  const lines = why.split('\n').slice(0, followed ? 1 : undefined);
  return `Build #${number} ${what}${why === '' ? '.' : `: ${lines.map(printable).join('\n  ')}`}\n`;
}
