import { isBuildFinal } from '../../../domain/builds/states.ts';
import { problemLine } from '../../../domain/repository-config/summary.ts';
import type { Option } from '../../engine/command.ts';
import { eventsOption } from '../../engine/progress.ts';
import type { Rest } from '../../engine/rest.ts';
import { printable } from '../../engine/table.ts';
import { type Build, followBuild, logBeside } from '../follow-build.ts';

/** Of commands that start a build and can see it through; behind their other options. */
export const followOptions = {
  follow: { type: 'boolean', what: 'Print the log until the build is over.' },
  ...eventsOption,
} as const satisfies Record<string, Option>;

/** Prints a build, as it is or once it is over; one that is over and did not succeed is exit code 1. */
export async function seeBuild(
  rest: Rest,
  build: Build,
  { follow, json = false }: { follow: boolean; json: boolean | undefined },
): Promise<void> {
  const { signal } = new AbortController();
  const seen = follow ? await followBuild(rest, build.id, signal, { json, log: logBeside }) : build;
  if (json) process.stdout.write(`${JSON.stringify(seen, undefined, 2)}\n`);
  else for (const line of linesOf(seen)) process.stdout.write(`${line}\n`);
  if (follow && isBuildFinal(seen.status) && seen.status !== 'succeeded') process.exitCode = 1;
}

function linesOf(build: Build): string[] {
  const { id, number, serviceName, environmentName, status, trigger, repository, branch, commitSha } = build;
  const steps = build.steps.map(({ name, status: how }) => `${name} ${how}`).join(', ');
  const rows = {
    id,
    source: repository === '' ? 'uploaded folder' : `${commitSha} of ${branch} of ${repository}`,
    commit: build.commitMessage,
    message: build.message,
    trigger,
    steps,
    image: build.imageRef,
    deployment: build.deploymentId ?? '',
    'config file': configOf(build),
    'waits for': build.blocker + (build.awaitsApproval ? ` \`./ballast build approve ${id}\` approves it.` : ''),
    'approved by': build.approvedBy?.name ?? '',
    error: build.error,
    'not deployed': build.releaseError,
  };
  const told = Object.entries(rows).filter(([, value]) => value !== '');
  return [
    `Build #${number} of ${printable(serviceName)} for ${printable(environmentName)}: ${status}`,
    ...told.map(([name, value]) => `  ${`${name}:`.padEnd(14)}${value.split('\n').map(printable).join('\n    ')}`),
  ];
}

/** The configuration file of its source, or each problem of it. */
function configOf({ repositoryConfig }: Build): string {
  if (repositoryConfig === undefined || repositoryConfig.status === 'absent') return '';
  const { path, summary, problems } = repositoryConfig;
  return problems.length === 0 ? `${path}: ${summary}` : problems.map((one) => problemLine(path, one)).join('\n');
}
