import type { BuildPlan, BuildStep } from '../../domain/detection/build-plan.ts';
import type { BuildProgress } from '../../protocol/build.ts';
import type { BuildLog } from './build-log.ts';
import { BuildNetwork } from './build-settings.ts';
import { cacheVariables, linkedFolders, linkingLines, quoted } from './caches.ts';
import { runSandboxed, type Sandbox, type Sandboxed } from './sandbox/sandbox.ts';
import { CommandFailed, StepFailed } from './step-failed.ts';

/** So long may a step be silent before it says what it waits for; then twice as long, and so on. */
const quietMillis = 60_000;
const longestDetail = 200;

type StepNetwork = Pick<BuildNetwork, 'open' | 'failures' | 'failuresSince'>;
type ReportedStep = NonNullable<BuildProgress['steps']>[number];

/** The steps of a build, each told when it begins and when it ends: all of them, with their times. */
export class Steps {
  readonly #log: BuildLog;
  readonly #told: (progress: BuildProgress) => void;
  readonly #signal: AbortSignal;
  readonly #steps: ReportedStep[] = [];
  readonly #quietMillis: number;
  readonly #network: StepNetwork;
  #inner: { at: number; steps: readonly ReportedStep[] } = { at: 0, steps: [] };

  constructor(
    log: BuildLog,
    signal: AbortSignal,
    told: (progress: BuildProgress) => void,
    more: { quietMillis?: number; network?: StepNetwork } = {},
  ) {
    this.#log = log;
    this.#signal = signal;
    this.#told = told;
    this.#quietMillis = more.quietMillis ?? quietMillis;
    this.#network = more.network ?? new BuildNetwork(() => {});
  }

  /** Runs one, headed in the log. A failure names it. */
  async run<T>(name: string, detail: string, work: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    const step: ReportedStep = { name, status: 'running', startedAt: new Date().toISOString() };
    this.#steps.push(step);
    this.#log.beginStep();
    this.#log.say(detail === '' ? `==> ${name}` : `==> ${name}: ${detail}`);
    this.#tell();
    const listening = this.#listen(name, detail);
    const before = this.#network.failures;
    try {
      const done = await work();
      this.#signal.throwIfAborted();
      this.#end(step, 'succeeded');
      return done;
    } catch (error) {
      const last = this.#end(step, this.#signal.aborted ? 'cancelled' : 'failed');
      // An address that this step did not get may be why, however much was written since.
      const network = this.#network.failuresSince(before);
      throw StepFailed.of(name, error, [...last.filter((line) => !network.includes(line)), ...network]);
    } finally {
      clearInterval(listening);
    }
  }

  /** Says of a step that writes nothing what it does, since when, and to whom it has connections. */
  #listen(name: string, detail: string): NodeJS.Timeout {
    const began = performance.now();
    let due = this.#quietMillis;
    return setInterval(() => {
      const quiet = this.#log.silence;
      if (quiet < this.#quietMillis) due = this.#quietMillis;
      if (quiet < due) return;
      due *= 2;
      const running = this.#inner.steps.filter(({ status }) => status === 'running').map((step) => step.name);
      const [command = ''] = (running.length > 0 ? running.join(', ') : detail).split('\n');
      const does = command === '' ? 'runs' : `runs \`${command.slice(0, longestDetail)}\``;
      const open = this.#network.open();
      const waits = open === '' ? 'no connection is open' : `open connections: ${open}`;
      const [silent, took] = [quiet, performance.now() - began].map((millis) => Math.round(millis / 1000));
      this.#log.remark(`Nothing was written for ${silent} s: the step ${name} ${does} for ${took} s; ${waits}.`);
    }, this.#quietMillis / 12).unref();
  }

  /** Parts of the present step that the builder's engine runs, several at once. */
  parts(steps: readonly ReportedStep[]): void {
    const at = this.#inner.steps.length === 0 ? this.#steps.length : this.#inner.at;
    this.#inner = { at, steps };
    this.#tell();
  }

  #end(step: ReportedStep, status: ReportedStep['status']): string[] {
    const last = this.#log.endStep();
    step.status = status;
    step.finishedAt = new Date().toISOString();
    this.#tell();
    return last;
  }

  #tell(): void {
    this.#log.flush();
    const { at, steps } = this.#inner;
    this.#told({ steps: this.#steps.toSpliced(at, 0, ...steps).map((step) => ({ ...step })) });
  }
}

/** Runs a command to a good end, or throws how it ended. */
export async function runCommand(sandbox: Sandbox, run: Sandboxed): Promise<void> {
  const end = await runSandboxed(sandbox, run);
  run.signal.throwIfAborted();
  if (end.ended !== 'exited' || end.code !== 0) throw new CommandFailed(run.command, end);
}

/** Tools that heed these write the same whenever they run. Bytecode of Python stays valid whatever becomes of its files' times. */
const unchanging = { SOURCE_DATE_EPOCH: '315532800', PYTHONDONTWRITEBYTECODE: '1' };

/**
 * Runs a step of the plan, with its caches where its tools look for them. Variables of the service count before what the plan sets, and never
 * before what leads to a cache.
 */
export async function runStep(
  step: BuildStep,
  plan: BuildPlan,
  variables: Readonly<Record<string, string>>,
  run: (command: string, environment: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const folders = linkedFolders(step, plan);
  const environment = { ...unchanging, ...plan.environment, ...variables, ...cacheVariables(step.caches) };
  if (folders.size === 0) return await run(step.command, environment);
  // Afterwards nothing of the result leads into a cache.
  const unlink = [...folders.keys()].map((path) => `rm -f -- ${quoted(path)}`);
  const whole = ['(', ...linkingLines(folders), ')', '(', step.command, ')', ...unlink];
  await run(whole.join('\n'), environment);
}
