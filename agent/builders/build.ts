import { join } from 'node:path';
import { isOfSandbox } from '../../domain/builds/variables.ts';
import type { BuildPlan } from '../../domain/detection/build-plan.ts';
import { detect, withoutDockerfiles } from '../../domain/detection/detect.ts';
import type { DetectedBuild } from '../../domain/detection/detected-build.ts';
import type { BuildBody, BuildProgress } from '../../protocol/build.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { Client } from '../link/client.ts';
import { Refusal } from '../program/refusal.ts';
import type { BuildCaches, HeldCaches } from './caches/build-caches.ts';
import type { BaseLayer } from './image/base-layer.ts';
import { writeImage } from './image/write-image.ts';
import { BuildLog } from './log/build-log.ts';
import { megabytes, pushImage } from './push-image.ts';
import { runCommand } from './run-command.ts';
import { runStep } from './run-step.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { diskTree } from './source/disk-tree.ts';
import { fetchInSandbox } from './source/fetch-in-sandbox.ts';
import { fetchSource } from './source/fetch-source.ts';
import { StepFailed } from './step-failed.ts';
import { Steps } from './steps.ts';
import type { Toolbox, Tools } from './tools/toolbox.ts';
import { makeWorkFolder, type WorkFolder } from './work-folder.ts';

export interface BuildParts {
  home: string;
  client: Client;
  sandbox: Sandbox;
  caches: BuildCaches;
  toolbox: Toolbox;
  base: BaseLayer;
  /** Of all builds of this machine: the addresses of mirrors, say. */
  environment: Readonly<Record<string, string>>;
  /** Folders that all builds see, read-only. */
  mounts: readonly { at: string; directory: string }[];
  mask(text: string): string;
}

const mostFiles = 200_000;
export const noDockerfiles = 'This cluster builds no Dockerfiles: that takes an agent with the driver docker.';

/** Makes an image of a source and pushes it. Whatever becomes of it, nothing of the build is left on the machine then. */
export async function build(body: BuildBody, run: Run, parts: BuildParts): Promise<RunResult> {
  const late = AbortSignal.timeout(body.limits.seconds * 1_000);
  const signal = AbortSignal.any([run.signal, late]);
  const log = new BuildLog({ told: (piece) => run.output('stdout', piece), mask: parts.mask });
  const folder = makeWorkFolder(parts.home, run.id);
  try {
    await new Build({ body, run, parts, log, folder, signal }).work();
    log.flush();
    return { outcome: 'done', exitCode: 0 };
  } catch (error) {
    log.flush();
    if (run.signal.aborted) return { outcome: 'cancelled' };
    if (late.aborted)
      return { outcome: 'failed', message: `The build took longer than ${body.limits.seconds} s and was ended.` };
    // Of a line whose colours were taken away more may be told than of the line.
    if (error instanceof StepFailed) return { outcome: 'failed', message: parts.mask(error.message) };
    throw error;
  } finally {
    await folder.remove();
  }
}

interface Asked {
  body: BuildBody;
  run: Run;
  parts: BuildParts;
  log: BuildLog;
  folder: WorkFolder;
  signal: AbortSignal;
}

class Build {
  readonly #asked: Asked;
  readonly #steps: Steps;
  readonly #deadline: number;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#steps = new Steps(asked.log, asked.signal, (progress) => this.#tell(progress));
    this.#deadline = performance.now() + asked.body.limits.seconds * 1_000;
  }

  async work(): Promise<void> {
    const { parts, body, folder, signal, log } = this.#asked;
    this.#tell({ engine: `process (${parts.sandbox.heldBy})` });
    await this.#steps.run('fetch', '', () => this.#fetch());
    const plan = await this.#steps.run('detect', '', async () => this.#detect());
    if (plan.steps.length > 0) await this.#runSteps(plan);
    await this.#steps.run('image', '', async () => {
      const written = await writeImage(
        { source: folder.source, layout: folder.layout, base: parts.base },
        plan,
        signal,
      );
      log.say(`An image of ${megabytes(written.bytes)}`);
    });
    const digest = await this.#steps.run('push', body.repository, () => this.#push());
    this.#tell({ image: { digest } });
  }

  async #fetch(): Promise<void> {
    const { run, body, parts, folder, signal, log } = this.#asked;
    const { source, limits } = body;
    const { files, bytes } =
      source.kind === 'upload'
        ? await fetchSource(parts.client, run.id, folder.source, { bytes: limits.diskBytes, files: mostFiles }, signal)
        : await fetchInSandbox(source, folder.source, { ...this.#asked, seconds: () => this.#secondsLeft() });
    log.say(`${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)}`);
  }

  #secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#deadline - performance.now()) / 1_000));
  }

  #detect(): BuildPlan {
    const { body, folder, log } = this.#asked;
    // A Dockerfile beside an application does not keep it from being built without one.
    const tree = diskTree(folder.source);
    const { detected, plan, message } = detect(withoutDockerfiles(tree), body.context);
    this.#tell({
      detection: bounded(detected, this.#asked.parts.mask),
      ...(plan === undefined ? {} : { kind: plan.kind }),
    });
    for (const line of toldOf(detected)) log.say(line);
    if (plan !== undefined) return plan;
    const isForDocker = detect(tree, body.context).plan?.provider === 'dockerfile';
    throw new Refusal(isForDocker ? `${noDockerfiles} Without its Dockerfile: ${message}` : message);
  }

  async #runSteps(plan: BuildPlan): Promise<void> {
    const { body, parts, folder, signal, log } = this.#asked;
    const caches = await parts.caches.hold(body.cacheKey, signal);
    try {
      const run = (command: string, directory: string, tools: Tools, stop: AbortSignal) =>
        this.#sandboxed({ command, directory, workdir: '', names: [], environment: {} }, tools, caches, stop);
      const say = (line: string) => log.say(line);
      const names = plan.toolchain.map(({ name, version }) => `${name} ${version}`.trim()).join(', ');
      const tools = await this.#steps.run('tools', names, () =>
        parts.toolbox.prepare(plan.toolchain, { bin: folder.bin, run, say, signal }),
      );
      const variables = variablesOf(body);
      let cachedSteps = 0;
      for (const step of plan.steps) {
        const names = step.caches;
        const warm = names.length > 0 && names.every((name) => caches.open(name).warm);
        if (warm) cachedSteps += 1;
        await this.#steps.run(step.name, step.command, () =>
          runStep(step, plan, variables, (command, environment) =>
            this.#sandboxed(
              { command, directory: folder.source, workdir: plan.directory, names, environment },
              tools,
              caches,
              signal,
            ),
          ),
        );
        this.#tell({ cache: { cachedSteps, totalSteps: plan.steps.length } });
      }
    } finally {
      await caches.release();
    }
  }

  async #sandboxed(
    what: {
      command: string;
      directory: string;
      workdir: string;
      names: readonly string[];
      environment: Readonly<Record<string, string>>;
    },
    tools: Tools,
    caches: HeldCaches,
    signal: AbortSignal,
  ): Promise<void> {
    const { parts, body, log } = this.#asked;
    await runCommand(parts.sandbox, {
      command: what.command,
      directory: what.directory,
      workdir: what.workdir,
      caches: what.names.map((name) => ({ name, directory: caches.open(name).directory })),
      tools: [...tools.mounts, ...parts.mounts],
      environment: { CI: 'true', ...what.environment, ...parts.environment, PATH: tools.path },
      limits: { ...body.limits, seconds: this.#secondsLeft() },
      output: (stream, bytes) => log.write(stream, bytes),
      signal,
    });
  }

  async #push(): Promise<string> {
    const { parts, body, folder, signal, log } = this.#asked;
    return await pushImage(folder.layout, body.repository, { client: parts.client, log, signal });
  }

  #tell(progress: BuildProgress): void {
    this.#asked.run.output('progress', Buffer.from(JSON.stringify(progress)));
  }
}

/** Names of the sandbox's own were left out before, by a control plane that knows the same ones. */
function variablesOf({ variables = {} }: BuildBody): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !isOfSandbox(name)));
}

/** A piece of output is kept whole up to 64 kB. */
export function bounded(detected: DetectedBuild, mask: (text: string) => string): DetectedBuild {
  const texts = Object.entries(detected).map(([name, value]) => [
    name,
    typeof value === 'string' ? mask(value) : value,
  ]);
  const signals = detected.signals.slice(0, 60).map(({ path, detail }) => ({
    path: mask(path).slice(0, 200),
    detail: mask(detail).slice(0, 200),
  }));
  return { ...Object.fromEntries(texts), signals };
}

export function toldOf(detected: DetectedBuild): string[] {
  const { provider, framework, packageManager, installCommand, buildCommand, startCommand, outputDir } = detected;
  const rows = { provider, framework, packages: packageManager, install: installCommand, build: buildCommand };
  const told = { ...rows, start: startCommand, folder: outputDir, port: detected.port === 0 ? '' : `${detected.port}` };
  return [
    ...Object.entries(told).flatMap(([name, value]) => (value === '' ? [] : [`${`${name}:`.padEnd(10)}${value}`])),
    ...detected.signals.map(({ path, detail }) => `  ${join(path)}: ${detail}`),
  ];
}
