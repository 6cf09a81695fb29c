import { Readable } from 'node:stream';
import type { BuildBody, BuildProgress } from '../../../protocol/build.ts';
import type { Run, RunResult } from '../../commands/run.ts';
import type { Engine } from '../../drivers/docker/engine.ts';
import { Refusal } from '../../program/refusal.ts';
import { Building, type BuildingParts } from '../building.ts';
import { megabytes } from '../push-image.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { configured } from '../source/repository-config.ts';
import { CommandFailed } from '../step-failed.ts';
import { holdLimits } from './commands/hold-limits.ts';
import { markerOf, withMarker } from './commands/marker.ts';
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

export interface DockerBuildParts extends BuildingParts {
  homeId: string;
  engine: Engine;
  bases: BaseImages;
  /** Tells caches of this agent's builds from those that a Dockerfile names itself. */
  cacheSecret: string;
  /** Of the commands that the engine runs; undefined where the agent cannot limit them. */
  executions: string | undefined;
  /** Variables of commands: of the agent's own settings alone, since what a sandbox has besides leads to places in it. */
  ofAgent: Readonly<Record<string, string>>;
  /** Of authorities that commands trust besides the usual ones. */
  caFile: string | undefined;
  /** For git: throws where this machine has none. */
  sandbox(): Promise<Sandbox>;
}

/** Makes an image of a source by BuildKit and pushes it. Whatever becomes of it, only the cache of the build stays. */
export async function dockerBuild(body: BuildBody, run: Run, parts: DockerBuildParts): Promise<RunResult> {
  return await Building.run(body, run, parts, (building) => new DockerBuild(building, parts).work());
}

class DockerBuild {
  readonly #building: Building;
  readonly #parts: DockerBuildParts;

  constructor(building: Building, parts: DockerBuildParts) {
    this.#building = building;
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { body, folder, log, steps } = this.#building;
    const parts = this.#parts;
    const tell = (progress: BuildProgress) => this.#building.tell(progress);
    tell({ engine: `docker ${(await parts.engine.version()).Version} (BuildKit)` });
    await this.#building.fetch(() => parts.sandbox());
    const plan = await steps.run('detect', '', async () =>
      planOf(configured(body, folder.source, this.#building), folder.source, {
        ...parts,
        environment: parts.ofAgent,
        log,
        tell,
      }),
    );
    const image = await steps.run('build', plan.dockerfile, () => this.#build(plan));
    try {
      await steps.run('image', '', () => this.#export(image));
    } finally {
      await removeImage(parts.engine, image);
    }
    await this.#building.push();
  }

  async #build(plan: EnginePlan): Promise<string> {
    const { body, run, log, signal, steps } = this.#building;
    const parts = this.#parts;
    const { socket } = parts.engine;
    const stopping = new AbortController();
    const stop = AbortSignal.any([signal, stopping.signal]);
    const session = await openSession(socket, plan.secrets, stop);
    const vertices = new Vertices({
      ...{ log, mask: parts.mask },
      told: (parted, cache) => {
        steps.parts(parted);
        this.#building.tell({ cache });
      },
      // Images of the engine that an agent has loaded are those of other services.
      refused: (image) => stopping.abort(new Refusal(`${image} is an image of a service: builds begin with others.`)),
    });
    const marker = markerOf(parts.homeId, body.cacheKey);
    const held =
      parts.executions === undefined
        ? undefined
        : holdLimits({
            ...{ folder: parts.executions, marker, limits: body.limits },
            exceeded: (ended, message) => stopping.abort(new CommandFailed('', { ended, message })),
          });
    try {
      const labels = { [homeLabel]: parts.homeId, [buildLabel]: run.id };
      const { dockerfile, target } = plan;
      const args = withMarker(plan.args, marker);
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
      held?.stop();
      session.close();
    }
  }

  async #export(image: string): Promise<void> {
    const { body, folder, signal, log } = this.#building;
    const archive = await savedImage(this.#parts.engine, image, signal);
    const exported = await exportedImage(archive, folder.bin, body.limits.diskBytes, signal);
    const { bytes } = await rewriteImage(exported, folder.layout, signal);
    log.say(`An image of ${megabytes(bytes)}`);
  }
}
