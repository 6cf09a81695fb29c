import { setTimeout as pause } from 'node:timers/promises';
import { interruptedCode } from '../engine/interrupted.ts';
import type { Outcome } from '../engine/outcome.ts';
import { Progress } from '../engine/progress.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import type { There } from '../place/place-of-environment.ts';
import { type Deployment, isHeld, isOpen, type Look } from './deployment.ts';
import { accepting, declined } from './downtime.ts';
import { placeWords } from './place-words.ts';
import { DeploymentEvents, Stages } from './stages.ts';
import type { Waiting } from './waiting.ts';

/** The exit codes of commands that follow deployments, as docs/cli.md and --help say them. */
export const exitCodes = {
  live: 0,
  failed: 1,
  rejected: 3,
  cancelled: 4,
  expired: 6,
  superseded: 7,
} as const;
export const stillUnderWay = 5;
/** The approval that it waits for cannot be given any more. */
export const stale = 8;

export const exitCodesText = `Exit codes: 0 live, 1 failed, 2 usage, 3 rejected, 4 cancelled or declined, 5 still under way when the time was up or while
it is held for an approval, 6 expired, 7 superseded, 8 its approval is stale. Ctrl-C stops the command (130), and nothing else.`;

/** The code of several deployments is that of the one that needs somebody most. */
export function exitCodeOf(deployments: readonly Deployment[]): number {
  const codes = deployments.map(({ state }) => (state in exitCodes ? exitCodes[state as keyof typeof exitCodes] : 5));
  return [1, 3, 6, 4, 7, 5].find((code) => codes.some((one) => one === code)) ?? 0;
}

/** Nobody can approve it any more: another release is live, or settings were applied since it was requested. */
class StaleApproval extends Error {
  override readonly name = 'StaleApproval';
  readonly deployments: Deployment[];
  readonly approvalId: string;

  constructor(deployments: Deployment[], approvalId: string) {
    super(`The approval ${approvalId} is stale.`);
    this.deployments = deployments;
    this.approvalId = approvalId;
  }
}

/** An approval is composed against its whole environment, so it is asked for less often than the deployment. */
const everyLooks = 10;

/** Looks on, and throws once the approval that is waited for cannot be given any more. */
export function untilStale(rest: Rest, look: Look): Look {
  let looks = 0;
  return async (signal) => {
    const deployments = await look(signal);
    const id = deployments.find(isHeld)?.approvalId;
    if (id === undefined || looks++ % everyLooks !== 0) return deployments;
    const { stale } = await rest.until(signal).call<{ stale?: boolean }>('GET', `/approvals/${id}`);
    if (stale === true) throw new StaleApproval(deployments, id);
    return deployments;
  };
}

const againMillis = 500;

interface Followed {
  deployments: Deployment[];
  exitCode: number;
}

/** The deployments of a change set, however many. */
export function ofChangeSet(rest: Rest, changeSetId: string): Look {
  return (signal) => rest.until(signal).all<Deployment>('/deployments', undefined, { changeSetId });
}

export function theseDeployments(rest: Rest, ids: readonly string[]): Look {
  return (signal) => Promise.all(ids.map((id) => rest.until(signal).call<Deployment>('GET', `/deployments/${id}`)));
}

/**
 * Looks on until all of these have ended, the time is up, or somebody presses Ctrl-C, and says on the standard error how they
 * proceed. A control plane that does not answer is waited for: the deployments continue without it. `place`: the options
 * that name their environment, for the commands it names. `stop`: aborted by Ctrl-C already before.
 */
export async function follow(
  look: Look,
  waiting: Waiting,
  place: string,
  stop = new AbortController(),
): Promise<Followed> {
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  const progress = new Progress(process.stderr);
  const { json } = waiting;
  const stages = json ? new DeploymentEvents() : new Stages(progress);
  const clock = new Clock(waiting);
  let deployments: Deployment[] = [];
  let held = false;
  let told = false;
  try {
    for (;;) {
      const late = clock.signal(held);
      const seen = await seenUntil(look, AbortSignal.any([stop.signal, late]));
      if (seen !== undefined) {
        deployments = seen;
        const open = deployments.filter(isOpen);
        if (waiting.until !== 'started') {
          for (const deployment of deployments) stages.show(deployment);
          if (open.length === 0) return { deployments, exitCode: exitCodeOf(deployments) };
        }
        held = open.length > 0 && open.every(isHeld);
        if (held && !told) {
          told = true;
          const ids = new Set(open.flatMap(({ approvalId = '' }) => (approvalId === '' ? [] : [approvalId])));
          // With lines of JSON the deployments name it.
          for (const line of json ? [] : approvalLines([...ids])) progress.line(line);
        }
        if (held && waiting.until === 'held') return { deployments, exitCode: stillUnderWay };
      }
      if (waiting.until === 'started') return { deployments, exitCode: 0 };
      if (clock.isUp(held) || late.aborted) {
        progress.line(leftRunning('The time is up, and it is still under way', place));
        return { deployments, exitCode: stillUnderWay };
      }
      await pause(againMillis, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) {
        progress.line(leftRunning('It continues without this command', place));
        return { deployments, exitCode: interruptedCode };
      }
    }
  } catch (error) {
    if (!(error instanceof StaleApproval)) throw error;
    // One that is stale at the first look was not shown yet; the line names its approval.
    if (json) for (const deployment of error.deployments) stages.show(deployment);
    progress.line(
      `The approval is stale: another release is live, or settings were applied since. \`./ballast approve ${error.approvalId} --refresh\` asks anew.`,
    );
    return { deployments: error.deployments, exitCode: stale };
  } finally {
    process.removeListener('SIGINT', interrupt);
    progress.end();
  }
}

/** Undefined if nothing could be seen, since nobody waits any longer or the control plane is away for a while. */
async function seenUntil(look: Look, signal: AbortSignal): Promise<Deployment[] | undefined> {
  try {
    return await look(signal);
  } catch (error) {
    if (signal.aborted || (error instanceof RestRefusal && error.status === 0)) return undefined;
    throw error;
  }
}

/** The time that counts: that of an approval only if somebody said how long to wait. */
class Clock {
  readonly #waiting: Waiting;
  #spent = 0;
  #since = performance.now();

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
  }

  isUp(held: boolean): boolean {
    const now = performance.now();
    if (this.#counts(held)) this.#spent += now - this.#since;
    this.#since = now;
    return this.#spent > this.#waiting.millis;
  }

  /** Aborted when the time is up. */
  signal(held: boolean): AbortSignal {
    if (!this.#counts(held)) return AbortSignal.any([]);
    return AbortSignal.timeout(Math.max(0, Math.ceil(this.#waiting.millis - this.#spent)));
  }

  #counts(held: boolean): boolean {
    return !held || this.#waiting.bounded;
  }
}

export function approvalLines(ids: readonly string[]): string[] {
  return ids.flatMap((id) => [
    '  An administrator or owner decides, in the console beneath Approvals or here:',
    said`    ./ballast approve ${id}`,
  ]);
}

function leftRunning(why: string, place: string): string {
  return `${why}: \`./ballast status --wait${place}\` follows it, \`./ballast cancel${place}\` cancels it.`;
}

export interface CreateResult {
  deployment: Deployment;
  release: { id: string; number: number };
  superseded: { deploymentId: string; releaseNumber: number; state: string }[];
}

/** Starts a deployment by this request, outside of a change set, and sees it through. */
export async function startAndSee(
  there: There,
  given: { 'accept-downtime'?: boolean },
  waiting: Waiting,
  path: string,
  body: object,
): Promise<Outcome | undefined> {
  const started = await accepting('downtime', given['accept-downtime'], (downtime) =>
    there.rest.call<CreateResult>('POST', path, { ...body, ...downtime }),
  );
  return started === undefined ? declined() : await seeThrough(there, started, waiting);
}

/** Sees a deployment through that was just started by itself, outside of a change set. */
export async function seeThrough(there: There, started: CreateResult, waiting: Waiting): Promise<Outcome> {
  const { deployment, release, superseded } = started;
  for (const { releaseNumber } of superseded) {
    process.stderr.write(`The deployment of release ${releaseNumber}, which waited, is superseded.\n`);
  }
  const look = untilStale(there.rest, theseDeployments(there.rest, [deployment.id]));
  const { deployments, exitCode } = await follow(look, waiting, placeWords(there));
  process.exitCode = exitCode;
  const [now = deployment] = deployments;
  const text = said`Release ${release.number} of ${now.serviceName} is ${now.state} in ${there.environment.slug}.`;
  return { json: { ...started, deployment: now }, text };
}
