import { type Build, followBuild } from '../build/follow-build.ts';
import { approvalLines } from '../deployment/follow.ts';
import { stillUnderWay } from '../deployment/outcome.ts';
import type { Waiting } from '../deployment/waiting.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { Applied } from './apply-draft.ts';
import type { Interrupt } from './interrupt.ts';

/**
 * Prints the logs of the builds that a change set waits for, one after the other. Answers the exit code if that is decided:
 * an image could not be made, or nobody waits for it.
 */
export async function followBuilds(
  rest: Rest,
  { builds, approval }: Applied,
  waiting: Waiting,
  quiet: boolean,
  interrupt: Interrupt,
): Promise<number | undefined> {
  if (builds.length === 0) return undefined;
  interrupt.leaves('The builds and their deployments continue without this command.');
  if (approval !== undefined) {
    for (const line of approvalLines([approval.id])) process.stderr.write(`${line}\n`);
    if (waiting.until === 'held') return stillUnderWay;
  }
  if (waiting.until === 'started') return undefined;
  const ended: Build[] = [];
  for (const { id } of builds) {
    const { number, repository, branch, commitSha } = await rest.call<Build>('GET', `/builds/${id}`);
    const from = [repository, branch, commitSha.slice(0, 12)].filter((one) => one !== '').map(printable);
    if (!quiet) process.stderr.write(`Build #${number}${from.length === 0 ? '' : ` of ${from.join(' ')}`}\n`);
    ended.push(await followBuild(rest, id, interrupt.signal, quiet));
  }
  for (const { number, status, error, releaseError } of ended) {
    if (status === 'succeeded' && releaseError === '') continue;
    const what = status === 'succeeded' ? `was built and not deployed: ${releaseError}` : `${status}: ${error}`;
    process.stderr.write(`Build #${number} ${what.split('\n').map(printable).join('\n  ')}\n`);
  }
  return ended.every(({ status, releaseError }) => status === 'succeeded' && releaseError === '') ? undefined : 1;
}
