import { Readable } from 'node:stream';
import type { BuildBody, BuildProgress } from '../../../protocol/build.ts';
import type { Run, RunResult } from '../../commands/run.ts';
import type { Engine } from '../../drivers/docker/engine.ts';
import type { Client } from '../../link/client.ts';
import { Refusal } from '../../program/refusal.ts';
import { BuildLog } from '../log/build-log.ts';
import { megabytes, pushImage } from '../push-image.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { fetchInSandbox } from '../source/fetch-in-sandbox.ts';
import { fetchSource } from '../source/fetch-source.ts';
import { StepFailed } from '../step-failed.ts';
import { Steps } from '../steps.ts';
import { makeWorkFolder, type WorkFolder } from '../work-folder.ts';
import { explained } from './engine/engine-errors.ts';
import { buildLabel, homeLabel, removeImage, savedImage } from './engine/engine-images.ts';
import { runBuild } from './engine/run-build.ts';
import { Vertices } from './engine/vertices.ts';
import { exportedImage } from './image/exported-image.ts';
import { rewriteImage } from './image/rewrite-image.ts';
import type { BaseImages } from './plan/base-images.ts';
import { contextArchive } from './plan/context.ts';
import { type EnginePlan, planOf } from './plan/plan.ts';
import { openSession } from './session/session.ts';

export interface DockerBuildParts {
  home: string;
  homeId: string;
  client: Client;
  engine: Engine;
  bases: BaseImages;
  /** Tells caches of this agent's builds from those that a Dockerfile names itself. */
  cacheSecret: string;
  environment: Readonly<Record<string, string>>;
  mounts: readonly { at: string; directory: string }[];
  /** For git: throws where this machine has none. */
  sandbox(): Promise<Sandbox>;
  mask(text: string): string;
}

const mostFiles = 200_000;

/** Makes an image of a source by BuildKit and pushes it. Whatever becomes of it, only the cache of the build stays. */
export async function dockerBuild(body: BuildBody, run: Run, parts: DockerBuildParts): Promise<RunResult> {
  const late = AbortSignal.timeout(body.limits.seconds * 1_000);
  const signal = AbortSignal.any([run.signal, late]);
  const log = new BuildLog({ told: (piece) => run.output('stdout', piece), mask: parts.mask });
  const folder = makeWorkFolder(parts.home, run.id);
  try {
    await new DockerBuild({ body, run, parts, log, folder, signal }).work();
    log.flush();
    return { outcome: 'done', exitCode: 0 };
  } catch (error) {
    log.flush();
    if (run.signal.aborted) return { outcome: 'cancelled' };
    if (late.aborted)
      return { outcome: 'failed', message: `The build took longer than ${body.limits.seconds} s and was ended.` };
    if (error instanceof StepFailed) return { outcome: 'failed', message: parts.mask(error.message) };
    throw error;
  } finally {
    await folder.remove();
  }
}

interface Asked {
  body: BuildBody;
  run: Run;
  parts: DockerBuildParts;
  log: BuildLog;
  folder: WorkFolder;
  signal: AbortSignal;
}

class DockerBuild {
  readonly #asked: Asked;
  readonly #steps: Steps;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#steps = new Steps(asked.log, asked.signal, (progress) => this.#tell(progress));
  }

  async work(): Promise<void> {
    const { parts, body, folder, signal, log } = this.#asked;
    this.#tell({ engine: `docker ${(await parts.engine.version()).Version} (BuildKit)` });
    await this.#steps.run('fetch', '', () => this.#fetch());
    const tell = (progress: BuildProgress) => this.#tell(progress);
    const plan = await this.#steps.run('detect', '', async () => planOf(body, folder.source, { ...parts, log, tell }));
    const image = await this.#steps.run('build', plan.dockerfile, () => this.#build(plan));
    try {
      await this.#steps.run('image', '', () => this.#export(image));
    } finally {
      await removeImage(parts.engine, image);
    }
    const to = { client: parts.client, log, signal };
    const digest = await this.#steps.run('push', body.repository, () => pushImage(folder.layout, body.repository, to));
    this.#tell({ image: { digest } });
  }

  async #fetch(): Promise<void> {
    const { run, body, parts, folder, signal, log } = this.#asked;
    const { source } = body;
    const limits = { bytes: body.limits.diskBytes, files: mostFiles };
    const { files, bytes } =
      source.kind === 'upload'
        ? await fetchSource(parts.client, run.id, folder.source, limits, signal)
        : await this.#fetchCommit(source);
    log.say(`${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)}`);
  }

  async #fetchCommit(source: Extract<BuildBody['source'], { kind: 'git' }>) {
    const { body, parts, folder, signal, log } = this.#asked;
    const sandbox = await parts.sandbox();
    const within = { sandbox, environment: parts.environment, mounts: parts.mounts };
    const seconds = () => body.limits.seconds;
    return await fetchInSandbox(source, folder.source, { body, parts: within, log, signal, seconds });
  }

  async #build(plan: EnginePlan): Promise<string> {
    const { parts, run, log, signal } = this.#asked;
    const { socket } = parts.engine;
    const stopping = new AbortController();
    const stop = AbortSignal.any([signal, stopping.signal]);
    const session = await openSession(socket, plan.secrets, stop);
    const vertices = new Vertices({
      ...{ log, mask: parts.mask },
      told: (steps, cache) => {
        this.#steps.parts(steps);
        this.#tell({ cache });
      },
      // Images of the engine that an agent has loaded are those of other services.
      refused: (image) => stopping.abort(new Refusal(`${image} is an image of a service: builds begin with others.`)),
    });
    try {
      const labels = { [homeLabel]: parts.homeId, [buildLabel]: run.id };
      const { dockerfile, target, args } = plan;
      const asked = { ...{ id: run.id, session: session.id, dockerfile, target, args, labels } };
      return await runBuild(
        socket,
        asked,
        Readable.from(contextArchive(plan.folder, plan), { objectMode: false }),
        (trace) => vertices.take(trace),
        stop,
      );
    } catch (error) {
      vertices.close(signal.aborted ? 'cancelled' : 'failed');
      signal.throwIfAborted();
      if (stopping.signal.aborted) throw stopping.signal.reason;
      throw explained(error, vertices.failed(), session.missing);
    } finally {
      session.close();
    }
  }

  async #export(image: string): Promise<void> {
    const { parts, body, folder, signal, log } = this.#asked;
    const archive = await savedImage(parts.engine, image, signal);
    const exported = await exportedImage(archive, folder.bin, body.limits.diskBytes, signal);
    const { bytes } = await rewriteImage(exported, folder.layout, signal);
    log.say(`An image of ${megabytes(bytes)}`);
  }

  #tell(progress: BuildProgress): void {
    this.#asked.run.output('progress', Buffer.from(JSON.stringify(progress)));
  }
}
