import type { DeploymentStage } from '../../domain/deployments/states.ts';
import { Events, type Progress } from '../engine/progress.ts';
import { printable, said } from '../engine/table.ts';
import { type Deployment, isOpen } from './deployment.ts';

type Stage = Deployment['stages'][number];

const words: Record<DeploymentStage, string> = {
  approval: 'waited for an approval',
  queue: 'waited for its turn',
  prepare: 'prepared',
  'release-command': 'ran its release command',
  start: 'started',
  check: 'stayed healthy',
  switch: 'switched',
  drain: 'drained',
};

/** Says of each deployment what is new since the last look: stages that ended, what it waits for, and how it ended. */
export class Stages {
  readonly #progress: Progress;
  readonly #told = new Map<string, Set<string>>();

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  show(deployment: Deployment): void {
    const told = this.#told.get(deployment.id) ?? new Set();
    this.#told.set(deployment.id, told);
    const once = (key: string, line: () => void) => {
      if (told.has(key)) return;
      told.add(key);
      line();
    };
    const { id, serviceName, stages, state, releaseNumber } = deployment;
    const name = printable(serviceName);
    for (const stage of stages) {
      const { endedAt } = stage;
      // The one in which it failed did not come to its end: that is told below.
      if (endedAt === undefined || (state === 'failed' && stage === stages.at(-1))) continue;
      once(`${stage.stage} ${stage.startedAt}`, () => {
        this.#progress.line(`✓ ${name} ${wordsOf(stage)} (${secondsOf(stage.startedAt, endedAt)} s)`);
      });
    }
    if (isOpen(deployment)) {
      this.#waits(deployment, name, once);
      this.#progress.running(id, `${name} ${standing(deployment)}`);
      return;
    }
    once('end', () => {
      this.#progress.forget(id);
      if (state === 'live') {
        this.#progress.line(`✓ ${name} is live: release ${releaseNumber}`);
        // An older control plane tells none.
        for (const { message } of deployment.warnings ?? []) this.#progress.line(said`! ${name}: ${message}`);
      } else for (const line of endOf(deployment)) this.#progress.line(line);
    });
  }

  /** A message that changes is news, told once and not with each line of progress. */
  #waits({ blocker, message }: Deployment, name: string, once: (key: string, line: () => void) => void): void {
    if (blocker === '' || message === '') return;
    once(`waits ${blocker} ${message}`, () => this.#progress.line(said`  ${name} waits: ${message}`));
  }
}

/** The same for programs: a line of JSON for each stage and each wait. */
export class DeploymentEvents {
  readonly #events = new Events();

  show({ id, serviceName, releaseNumber, state, stages, blocker, message, approvalId }: Deployment): void {
    this.#events.tell('deployment', id, {
      ...{ deploymentId: id, service: serviceName, release: releaseNumber, state, stage: stages.at(-1)?.stage },
      ...{ blocker, message, ...(approvalId === undefined || approvalId === '' ? {} : { approvalId }) },
    });
  }
}

function wordsOf({ stage, detail }: Stage): string {
  return detail === '' ? words[stage] : said`${words[stage]}: ${detail}`;
}

function secondsOf(from: string, to: string): string {
  return ((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1);
}

function standing({ state, stages, cancelRequested }: Deployment): string {
  const why = stages.at(-1)?.detail ?? '';
  const now = cancelRequested ? `${state}, to be cancelled` : state;
  return why === '' ? now : said`${now}: ${why}`;
}

/** How it ended otherwise than live, with the instance by which it failed. */
function endOf({ id, serviceName, state, stages, blocker, message, failure }: Deployment): string[] {
  const why = [blocker === '' ? '' : `(${blocker})`, printable(message)].filter((text) => text !== '').join(' ');
  const lines = [said`✗ ${serviceName} ${state === 'failed' ? 'failed' : `is ${state}`}${why === '' ? '' : ` ${why}`}`];
  if (failure === undefined) return lines;
  const { process, instance, lines: last } = failure;
  if (failure.releaseCommand !== undefined) {
    if (last.length > 0) lines.push('  its last lines:', ...last.map((line) => said`  | ${line}`));
    if (stages.some(({ stage }) => stage === 'release-command')) {
      lines.push(
        `  ./ballast rerun ${id} --from-stage release-command runs it again, --from-stage start leaves it out`,
      );
    }
    return lines;
  }
  const of = process === '' ? '' : said` of ${process}`;
  lines.push(said`  instance ${instance}${of} ${exitOf(failure)}${last.length > 0 ? '; its last lines:' : ''}`);
  return [...lines, ...last.map((line) => said`  | ${line}`)];
}

function exitOf({ exitCode, signal, outOfMemory }: NonNullable<Deployment['failure']>): string {
  if (outOfMemory) return 'was ended because it took more memory than it may';
  if (signal !== '') return said`was ended by ${signal}`;
  return exitCode === undefined ? 'did not become healthy' : `exited with code ${exitCode}`;
}
