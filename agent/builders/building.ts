import type { Mask } from '../../domain/variables/mask.ts';
import type { BuildBody, BuildProgress } from '../../protocol/build.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Client } from '../link/client.ts';
import { BuildLog } from './build-log.ts';
import { BuildNetwork } from './build-settings.ts';
import { megabytes, pushImage } from './push-image.ts';
import { raised } from './sandbox/limits.ts';
import { type Fetching, fetchInSandbox } from './source/fetch-in-sandbox.ts';
import { fetchSource } from './source/fetch-source.ts';
import { StepFailed } from './step-failed.ts';
import { Steps } from './steps.ts';
import { makeWorkFolder, type WorkFolder } from './work-folder.ts';

const mostFiles = 200_000;

/** The parts that every builder has. */
export interface BuildingParts {
  home: string;
  client: Client;
  /** Of all builds of this machine: the addresses of mirrors, say. */
  environment: Readonly<Record<string, string>>;
  /** Folders that all builds see, read-only. */
  mounts: readonly { at: string; directory: string }[];
  mask: Mask;
  /** Lines that say the limits of the build. */
  limits: readonly string[];
}

/**
 * One build, whoever builds: its log, steps, folder and time limit, its first step and its last one. Whatever becomes of the
 * work, its folder is gone afterwards.
 */
export class Building {
  readonly body: BuildBody;
  readonly run: Run;
  readonly log: BuildLog;
  readonly folder: WorkFolder;
  readonly signal: AbortSignal;
  readonly steps: Steps;
  readonly network: BuildNetwork;
  readonly #parts: BuildingParts;
  readonly #deadline: number;
  readonly #late: AbortSignal;

  private constructor(body: BuildBody, run: Run, parts: BuildingParts) {
    this.body = body;
    this.run = run;
    this.#parts = parts;
    this.#deadline = performance.now() + body.limits.seconds * 1_000;
    this.#late = AbortSignal.timeout(body.limits.seconds * 1_000);
    this.signal = AbortSignal.any([run.signal, this.#late]);
    this.log = new BuildLog({ told: (piece) => run.output('stdout', piece), mask: parts.mask });
    this.folder = makeWorkFolder(parts.home, run.id);
    this.network = new BuildNetwork((line) => this.log.say(line));
    const { network } = this;
    this.steps = new Steps(this.log, this.signal, (progress) => this.tell(progress), { network });
  }

  static async run(
    body: BuildBody,
    run: Run,
    parts: BuildingParts,
    work: (building: Building) => Promise<void>,
  ): Promise<RunResult> {
    const building = new Building(body, run, parts);
    try {
      for (const line of parts.limits) building.log.say(line);
      await work(building);
      building.log.flush();
      return { outcome: 'done', exitCode: 0 };
    } catch (error) {
      building.log.flush();
      return building.#endedBy(error);
    } finally {
      await building.folder.remove();
    }
  }

  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#deadline - performance.now()) / 1_000));
  }

  tell(progress: BuildProgress): void {
    this.run.output('progress', Buffer.from(JSON.stringify(progress)));
  }

  /** Commits are fetched by git in the sandbox, also where an engine builds. */
  async fetch(sandbox: () => Promise<Fetching['sandbox']>): Promise<void> {
    const { source, limits } = this.body;
    const { client, environment, mounts, mask } = this.#parts;
    await this.steps.run('fetch', '', async () => {
      const { files, bytes } =
        source.kind === 'upload'
          ? await fetchSource(
              client,
              this.run.id,
              this.folder.source,
              { bytes: limits.diskBytes, files: mostFiles },
              this.signal,
            )
          : await fetchInSandbox(source, this.folder.source, {
              ...{ sandbox: await sandbox(), environment, mounts, limits, log: this.log, signal: this.signal },
              network: this.network,
              seconds: () => this.secondsLeft,
              message: (text) => this.tell({ commit: { message: mask(text) } }),
            });
      this.log.say(`${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)}`);
    });
  }

  async push(): Promise<void> {
    const { repository } = this.body;
    const to = { client: this.#parts.client, log: this.log, signal: this.signal };
    const digest = await this.steps.run('push', repository, () => pushImage(this.folder.layout, repository, to));
    this.tell({ image: { digest } });
  }

  #endedBy(error: unknown): RunResult {
    if (this.run.signal.aborted) return { outcome: 'cancelled' };
    if (this.#late.aborted) {
      const { seconds } = this.body.limits;
      return {
        outcome: 'failed',
        message: `The build took longer than ${seconds} s and was ended; ${raised('seconds', 'minutes')}.`,
      };
    }
    // Of a line whose colours were taken away more may be told than of the line.
    if (error instanceof StepFailed) return { outcome: 'failed', message: this.#parts.mask(error.message) };
    throw error;
  }
}
