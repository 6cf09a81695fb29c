import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { z } from 'zod';
import type { buildSchema } from '../../api/builds/build.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { defined } from '../../domain/defined.ts';
import { problemLine } from '../../domain/repository-config/summary.ts';
import { command, type Option, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { listed, type Outcome } from '../engine/outcome.ts';
import { Events, eventsOption } from '../engine/progress.ts';
import { LostConnection, Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { printable, said } from '../engine/table.ts';
import { serviceHere } from '../place/chosen.ts';
import { serviceOptions } from '../place/here.ts';
import { narrowed } from '../place/narrowed.ts';

export type Build = z.output<typeof buildSchema>;

const againMillis = 500;
const watchMillis = 2_000;

/**
 * Follows a build and its log until it is over, and says what it waits for. A connection that is lost, or a control plane that is
 * away, is waited for: the build continues, and its log is read on behind the last line. `json`: its states and waits are told in
 * lines of JSON. `log`: takes each line. `found`: called once its source was looked at.
 */
export async function followBuild(
  rest: Rest,
  id: string,
  signal: AbortSignal,
  { json, log, found }: { json: boolean; log?: LogLine | undefined; found?: (build: Build) => Promise<void> },
): Promise<Build> {
  const asked = rest.until(signal);
  const told = json ? tellingEvents() : tellingWaits();
  let finding: Promise<void> | undefined;
  const tell: Tell = (build) => {
    told(build);
    if (build.builder?.detection !== undefined) finding ??= found?.(build);
  };
  let last = 0;
  for (;;) {
    // The stream of one that is queued is open all the time: what it waits for is asked for beside it.
    const over = new AbortController();
    const watched = watch(asked, id, AbortSignal.any([signal, over.signal]), tell);
    try {
      for await (const { event, data } of rest.events(`/builds/${id}/logs/stream?after=${last}`, signal)) {
        if (event !== 'log') continue;
        last = Number(data.seq);
        log?.(plain(String(data.text)));
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof LostConnection || isAway(error))) throw error;
    } finally {
      over.abort();
      await watched;
    }
    const build = await asked.call<Build>('GET', `/builds/${id}`);
    tell(build);
    if (isBuildFinal(build.status)) {
      await finding;
      return build;
    }
    await pause(againMillis, undefined, { signal });
  }
}

type LogLine = (line: string) => void;

/** The log beside the result of a command. */
export const logBeside: LogLine = (line) => void process.stderr.write(`  ${line}\n`);

type Tell = (build: Build) => void;

/** Looks at a build until it is told to stop; an answer that does not come is told by others. */
async function watch(rest: Rest, id: string, signal: AbortSignal, tell: Tell): Promise<void> {
  const asked = rest.until(signal);
  while (!signal.aborted) {
    await asked.call<Build>('GET', `/builds/${id}`).then(tell, () => undefined);
    await pause(watchMillis, undefined, { signal }).catch(() => undefined);
  }
}

function tellingWaits(): Tell {
  let waits = '';
  return ({ blocker }) => {
    if (blocker !== '' && blocker !== waits) process.stderr.write(said`  ${blocker}\n`);
    waits = blocker;
  };
}

function tellingEvents(): Tell {
  const events = new Events();
  return ({ id, number, serviceName, status, blocker, error, releaseError, awaitsApproval, deploymentId }) => {
    const why = error || releaseError;
    events.tell('build', id, {
      ...{ buildId: id, number, service: serviceName, status, awaitsApproval, blocker },
      ...(why === '' ? {} : { error: why }),
      ...(deploymentId === undefined ? {} : { deploymentId }),
    });
  };
}

/** Programs colour what they print; a terminal is given no sequence of theirs. */
function plain(line: string): string {
  return printable(stripVTControlCharacters(line));
}

function isAway(error: unknown): boolean {
  return error instanceof RestRefusal && error.status === 0;
}

/** Of commands that start a build and can see it through; behind their other options. */
const followOptions = {
  follow: { type: 'boolean', what: 'Print the log until the build is over.' },
  ...eventsOption,
} as const satisfies Record<string, Option>;

/** A build, as it is or once it is over; one that is over and did not succeed is exit code 1. */
async function seeBuild(
  rest: Rest,
  build: Build,
  { json = false, follow = false }: { json?: boolean; follow?: boolean },
): Promise<Outcome> {
  const { signal } = new AbortController();
  const seen = follow ? await followBuild(rest, build.id, signal, { json, log: logBeside }) : build;
  if (follow && isBuildFinal(seen.status) && seen.status !== 'succeeded') process.exitCode = 1;
  return { json: seen, text: linesOf(seen) };
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
    deployment: build.deploymentId,
    'config file': configOf(build),
    'waits for': build.blocker + (build.awaitsApproval ? ` \`./ballast build approve ${id}\` approves it.` : ''),
    'approved by': build.approvedBy?.name,
    error: build.error,
    'not deployed': build.releaseError,
  };
  const told = Object.entries(rows).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return [
    said`Build #${number} of ${serviceName} for ${environmentName}: ${status}`,
    ...told.map(([name, value]) => `  ${`${name}:`.padEnd(14)}${value.split('\n').map(printable).join('\n    ')}`),
  ];
}

/** The configuration file of its source, or each problem of it. */
function configOf({ repositoryConfig }: Build): string {
  if (repositoryConfig === undefined || repositoryConfig.status === 'absent') return '';
  const { path, summary, problems } = repositoryConfig;
  return problems.length === 0 ? `${path}: ${summary}` : problems.map((one) => problemLine(path, one)).join('\n');
}

export const buildCreate = command({
  summary: 'Builds a commit of the repository of a service, and deploys it',
  usage: `[--branch BRANCH] [--commit SHA] [--message TEXT] [--follow] [--image-only] [--project PROJECT]
  [--environment ENVIRONMENT] [--service SERVICE] [--json]`,
  details: `Without --branch it is the branch of the environment, or else the default one of the repository, as it is now. The source and the
settings are those that are applied there; what is staged stays staged. With --follow the log is printed until the build is over: exit
code 1 if it did not succeed.`,
  options: {
    branch: { type: 'string', value: 'BRANCH', what: 'A branch of the repository.' },
    commit: { type: 'string', value: 'SHA', what: 'The whole name of a commit of the branch.' },
    message: { type: 'string', short: 'm', value: 'TEXT', what: 'Why, for people who read the history.' },
    'image-only': { type: 'boolean', what: 'Deploy nothing of it.' },
    ...serviceOptions,
    ...followOptions,
  },
  run: async ({ branch, commit, message, 'image-only': imageOnly = false, ...given }) => {
    if (commit !== undefined && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw new UsageError('--commit is the whole name of a commit, 40 hex digits: `git rev-parse HEAD` prints it.');
    const { rest, environment, service } = await serviceHere(given, { change: true });
    const body = defined({ environmentId: environment.id, deploy: !imageOnly, branch, message, commitSha: commit });
    const made = await rest.call<Build>('POST', `/services/${service.id}/builds`, body);
    const words = said`${made.commitSha.slice(0, 12)} of ${made.branch} of ${made.repository}`;
    process.stderr.write(said`Build #${made.number} of ${service.name} for ${environment.name}: ${words}\n`);
    return await seeBuild(rest, made, given);
  },
});

export const buildList = command({
  summary: 'Lists builds, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--open] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory: without any it lists those of all projects that the token may see.
\`./ballast build show ID\` has the steps of one, \`./ballast build log ID\` its log.`,
  options: {
    open: { type: 'boolean', what: 'Only those that wait or run.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...serviceOptions,
  },
  run: async ({ open, tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const builds = await rest.all<Build>('/builds', most, { ...filter, ...(open && { open: 'true' }) });
    return listed({ builds }, said`There is no such build in ${words}.`, {
      id: 'id',
      service: 'serviceName',
      environment: 'environmentName',
      build: ({ number }) => `#${number}`,
      state: 'status',
      trigger: 'trigger',
      commit: ({ commitSha, branch }) => (commitSha === '' ? '' : `${branch} ${commitSha.slice(0, 12)}`),
      created: 'createdAt',
      by: 'requestedBy',
    });
  },
});

const one = (id: string) => `/builds/${encodeURIComponent(id)}`;

export const buildShow = command({
  summary: 'Shows a build: its source, steps, image and what became of it',
  usage: 'BUILD [--json]',
  options: restOptions,
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    return await seeBuild(rest, await rest.call<Build>('GET', one(id)), {});
  },
});

export const buildLog = command({
  summary: 'Prints the log of a build, until it is over',
  usage: 'BUILD [--json]',
  details: 'With --json the build is the result, and its log is on the standard error.',
  options: { ...restOptions, ...eventsOption },
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    const { json = false } = given;
    const build = await rest.call<Build>('GET', one(id));
    const log = json ? logBeside : (line: string) => void process.stdout.write(`${line}\n`);
    const ended = await followBuild(rest, build.id, new AbortController().signal, { json, log });
    return { json: ended, text: '' };
  },
});

export const buildCancel = command({
  summary: 'Cancels a build',
  usage: 'BUILD [--json]',
  details: 'One that is queued ends at once. Of one that is running the agent ends all processes.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    return await seeBuild(rest, await rest.call<Build>('POST', `${one(id)}/cancel`), {});
  },
});

export const buildApprove = command({
  summary: 'Approves that a build sees the build variables of a production environment',
  usage: 'BUILD [--follow] [--json]',
  details: `It waits for that, since its source is an upload, a tag, or a commit that is not the head of the connected branch, and any command of
it could tell what it is given. An admin or owner approves it who has not requested it; an only one needs no approval.`,
  options: { ...restOptions, ...followOptions },
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    return await seeBuild(rest, await rest.call<Build>('POST', `${one(id)}/approve`), given);
  },
});

export const buildRetry = command({
  summary: 'Builds the same source again, with the settings of now',
  usage: 'BUILD [--follow] [--json]',
  options: { ...restOptions, ...followOptions },
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    return await seeBuild(rest, await rest.call<Build>('POST', `${one(id)}/retry`), given);
  },
});

/** How a build ended that nothing was deployed of. Its error ends with lines of the log, which somebody who has followed it has read. */
export function endOfBuild({ number, status, error, releaseError }: Build, followed: boolean): string {
  const [what, why] = status === 'succeeded' ? ['was built and not deployed', releaseError] : [status, error];
  const lines = why.split('\n').slice(0, followed ? 1 : undefined);
  return `Build #${number} ${what}${why === '' ? '.' : `: ${lines.map(printable).join('\n  ')}`}\n`;
}
