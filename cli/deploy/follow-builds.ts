import { type Build, endOfBuild, followBuild, logBeside } from '../build/build.ts';
import { stillUnderWay } from '../deployment/follow.ts';
import type { Waiting } from '../deployment/waiting.ts';
import type { Rest } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import type { Applied } from './apply-draft.ts';
import { tellProposals, tellVariablesOf } from './findings.ts';
import type { Interrupt } from './interrupt.ts';
import type { Complete } from './missing.ts';
import { tellHeld } from './until-decided.ts';

/**
 * Prints the logs of the builds that a change set waits for, one after the other. Answers the exit code if that is decided:
 * an image could not be made, or nobody waits for it.
 */
export async function followBuilds(
  rest: Rest,
  to: Pick<Complete, 'project' | 'environment'>,
  { builds, approval }: Applied,
  waiting: Waiting,
  interrupt: Interrupt,
  uploaded = false,
): Promise<number | undefined> {
  if (builds.length === 0) return undefined;
  const { json } = waiting;
  interrupt.leaves('The builds and their deployments continue without this command.');
  if (approval !== undefined) {
    tellHeld(approval.id, json);
    if (waiting.until === 'held') return stillUnderWay;
  }
  // A folder that cannot be built is nothing that was started.
  if (waiting.until === 'started' && !uploaded) return undefined;
  const ended: Build[] = [];
  for (const { id } of builds) {
    const { number, serviceName, environmentName, repository, branch, commitSha } = await rest.call<Build>(
      'GET',
      `/builds/${id}`,
    );
    const from = [repository, branch, commitSha.slice(0, 12)].filter((one) => one !== '').join(' ');
    const words = said`Build #${number} of ${serviceName} for ${environmentName}${from && `: ${from}`}\n`;
    if (!json) process.stderr.write(words);
    // Of a folder they were told before it was uploaded.
    const found = uploaded ? undefined : (build: Build) => tellVariablesOf(rest, to, build);
    const build = await followBuild(rest, id, interrupt.signal, {
      json,
      log: json ? undefined : logBeside,
      ...(found && { found }),
    });
    if (build.status === 'succeeded') await tellProposals(rest, to, build);
    ended.push(build);
  }
  const undone = ended.filter(({ status, releaseError }) => status !== 'succeeded' || releaseError !== '');
  for (const build of undone) process.stderr.write(endOfBuild(build, !json));
  return undone.length === 0 ? undefined : 1;
}
