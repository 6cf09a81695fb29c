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
import type { OrganizationBuilders } from './builder/builders.ts';
import type { Working } from './builder/organization-builder.ts';
import { explained } from './buildkit/build-errors.ts';
import { solve } from './buildkit/solve.ts';
import { Vertices } from './buildkit/vertices.ts';
import { holdLimits } from './commands/hold-limits.ts';
import { markerOf, withWayOut } from './commands/marker.ts';
import { type ExportedImage, exportedImage } from './image/exported-image.ts';
import { rewriteImage } from './image/rewrite-image.ts';
import type { BaseImages } from './plan/base-images.ts';
import { contextArchive } from './plan/dockerfile.ts';
import { type EnginePlan, planOf } from './plan/plan.ts';
import { openSession } from './session/session.ts';

export interface DockerBuildParts extends BuildingParts {
  homeId: string;
  engine: Engine;
  bases: BaseImages;
  /** Tells caches of this agent's builds from those that a Dockerfile names itself. */
  cacheSecret: string;
  builders: OrganizationBuilders;
  /** Whether the agent can limit commands. */
  limited: boolean;
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
    const { body, folder, log, signal, steps } = this.#building;
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
    const { memoryBytes, processes } = body.limits;
    const builder = parts.builders.of(body);
    const exported = await steps.run('build', plan.dockerfile, () =>
      builder.use({ memoryBytes, processes }, signal, (working) => this.#build(plan, working)),
    );
    await steps.run('image', '', async () => {
      const { bytes } = await rewriteImage(exported, folder.layout, signal);
      log.say(`An image of ${megabytes(bytes)}`);
    });
    await this.#building.push();
  }

  async #build(plan: EnginePlan, { control, pid, executions, proxy }: Working): Promise<ExportedImage> {
    const { body, folder, run, log, network, signal, steps } = this.#building;
    const parts = this.#parts;
    const stopping = new AbortController();
    const stop = AbortSignal.any([signal, stopping.signal]);
    let exported: ExportedImage | undefined;
    const session = openSession(control, {
      secrets: plan.secrets,
      context: () => Readable.from(contextArchive(plan.folder, plan), { objectMode: false }),
      take: async (archive) => {
        try {
          exported = await exportedImage(archive, folder.bin, body.limits.diskBytes, stop);
        } catch (error) {
          stopping.abort(error);
          throw error;
        }
      },
    });
    const vertices = new Vertices({
      ...{ log, mask: parts.mask },
      told: (parted, cache) => {
        steps.parts(parted);
        this.#building.tell({ cache });
      },
      plain: parts.builders.images.plain,
      // Images of the engine that an agent has loaded are those of other services.
      refused: (image) => stopping.abort(new Refusal(`${image} is an image of a service: builds begin with others.`)),
    });
    const marker = markerOf(parts.homeId, body.cacheKey);
    const runner = { executions, pid };
    const held = parts.limited
      ? holdLimits({
          ...{ runner, marker, limits: body.limits },
          exceeded: (ended, message) => stopping.abort(new CommandFailed('', { ended, message })),
        })
      : undefined;
    const unfollow = network.follow(proxy);
    const attributes = attributesOf(plan, withWayOut(plan.args, marker), session.context);
    try {
      const instead = await parts.builders.images.instead();
      await solve(
        control,
        { id: run.id, session: session.id, attributes, instead },
        (trace) => vertices.take(trace),
        stop,
      );
      if (exported === undefined) throw new Error('BuildKit ended the build without an image and without a reason.');
      return exported;
    } catch (error) {
      vertices.close(signal.aborted ? 'cancelled' : 'failed');
      signal.throwIfAborted();
      if (stopping.signal.aborted) throw stopping.signal.reason;
      throw explained(error, vertices.failed(), session.missing, network.failuresSince(0));
    } finally {
      held?.stop();
      unfollow();
      session.close();
    }
  }
}

/** Options of BuildKit's frontend for Dockerfiles. */
function attributesOf(
  { dockerfile, target }: EnginePlan,
  args: Readonly<Record<string, string>>,
  context: string,
): Record<string, string> {
  return {
    ...{ filename: dockerfile, target, context },
    // Says that this is the frontend that a line "# syntax=" has chosen: whatever it names, no other is loaded.
    cmdline: 'docker/dockerfile',
    ...Object.fromEntries(Object.entries(args).map(([name, value]) => [`build-arg:${name}`, value])),
  };
}
