import { join } from 'node:path';
import { isOfSandbox } from '../../domain/builds/variables.ts';
import type { BuildPlan } from '../../domain/detection/build-plan.ts';
import { detect, withoutDockerfiles } from '../../domain/detection/detect.ts';
import type { DetectedBuild } from '../../domain/detection/detected-build.ts';
import type { BuildBody } from '../../protocol/build.ts';
import type { Run, RunResult } from '../commands/run.ts';
import { Refusal } from '../program/refusal.ts';
import { Building, type BuildingParts } from './building.ts';
import type { BuildCaches, HeldCaches } from './caches.ts';
import type { BaseLayer } from './image/layers.ts';
import { type ProposedCommands, writeImage } from './image/write-image.ts';
import { megabytes } from './push-image.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { diskTree } from './source/disk-tree.ts';
import { type ConfiguredBody, configured } from './source/repository-config.ts';
import { runCommand, runStep } from './steps.ts';
import type { Toolbox, Tools } from './tools/toolbox.ts';

export interface BuildParts extends BuildingParts {
  sandbox: Sandbox;
  caches: BuildCaches;
  toolbox: Toolbox;
  base: BaseLayer;
}

const noDockerfiles = 'This cluster builds no Dockerfiles: that takes an agent with the driver docker.';
const insteadOfOne = 'Let the service build with the builder "auto", or deploy an image that was built elsewhere.';

/** Makes an image of a source and pushes it. Whatever becomes of it, nothing of the build is left on the machine then. */
export async function build(body: BuildBody, run: Run, parts: BuildParts): Promise<RunResult> {
  return await Building.run(body, run, parts, (building) => new Build(building, parts).work());
}

class Build {
  readonly #building: Building;
  readonly #parts: BuildParts;
  #body: ConfiguredBody;

  constructor(building: Building, parts: BuildParts) {
    this.#building = building;
    this.#parts = parts;
    this.#body = { ...building.body, buildArgs: {} };
  }

  async work(): Promise<void> {
    const { folder, signal, log, steps } = this.#building;
    const { sandbox, base } = this.#parts;
    this.#building.tell({ engine: `process (${sandbox.heldBy})` });
    await this.#building.fetch(async () => sandbox);
    const { plan, detected } = await steps.run('detect', '', async () => this.#detect());
    if (plan.steps.length > 0) await this.#runSteps(plan);
    await steps.run('image', '', async () => {
      const limits = { ...this.#body.limits, seconds: this.#building.secondsLeft };
      const say = (line: string) => log.say(line);
      const written = await writeImage({ folder, sandbox, base, limits, say, signal }, plan);
      log.say(`An image of ${megabytes(written.bytes)}`);
      this.#building.tell({ detection: bounded(withCommands(detected, written.proposed), this.#parts.mask) });
    });
    await this.#building.push();
  }

  #detect(): { plan: BuildPlan; detected: DetectedBuild } {
    const { folder, log } = this.#building;
    const body = configured(this.#building.body, folder.source, this.#building);
    this.#body = body;
    if (body.builder === 'dockerfile') throw new Refusal(`${noDockerfiles} ${insteadOfOne}`);
    if (Object.keys(body.buildArgs).length > 0)
      throw new Refusal(`${noDockerfiles} The configuration file has buildArgs, which only a Dockerfile takes.`);
    // A Dockerfile beside an application does not keep it from being built without one.
    const tree = diskTree(folder.source);
    const { detected, plan, message } = detect(withoutDockerfiles(tree), body.context);
    this.#building.tell({
      detection: bounded(detected, this.#parts.mask),
      ...(plan === undefined ? {} : { kind: plan.kind }),
    });
    for (const line of toldOf(detected)) log.say(line);
    if (plan !== undefined) return { plan, detected };
    const isForDocker = detect(tree, body.context).plan?.provider === 'dockerfile';
    throw new Refusal(isForDocker ? `${noDockerfiles} Without its Dockerfile: ${message}` : message);
  }

  async #runSteps(plan: BuildPlan): Promise<void> {
    const { folder, signal, log, steps } = this.#building;
    const body = this.#body;
    const caches = await this.#parts.caches.hold(body.cacheKey, signal);
    try {
      const run = (command: string, directory: string, tools: Tools, stop: AbortSignal) =>
        this.#sandboxed({ command, directory, workdir: '', names: [], environment: {} }, tools, caches, stop);
      const say = (line: string) => log.say(line);
      const names = plan.toolchain.map(({ name, version }) => `${name} ${version}`.trim()).join(', ');
      const tools = await steps.run('tools', names, () =>
        this.#parts.toolbox.prepare(plan.toolchain, { bin: folder.bin, run, say, signal }),
      );
      const variables = variablesOf(body);
      let cachedSteps = 0;
      for (const step of plan.steps) {
        const names = step.caches;
        const warm = names.length > 0 && names.every((name) => caches.open(name).warm);
        if (warm) cachedSteps += 1;
        await steps.run(step.name, step.command, () =>
          runStep(step, plan, variables, (command, environment) =>
            this.#sandboxed(
              { command, directory: folder.source, workdir: plan.directory, names, environment },
              tools,
              caches,
              signal,
            ),
          ),
        );
        this.#building.tell({ cache: { cachedSteps, totalSteps: plan.steps.length } });
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
    const { body, log, network, secondsLeft } = this.#building;
    const parts = this.#parts;
    await runCommand(parts.sandbox, {
      command: what.command,
      directory: what.directory,
      workdir: what.workdir,
      caches: what.names.map((name) => ({ name, directory: caches.open(name).directory })),
      tools: [...tools.mounts, ...parts.mounts],
      environment: { CI: 'true', ...what.environment, ...parts.environment, PATH: tools.path },
      limits: { ...body.limits, seconds: secondsLeft },
      output: (stream, bytes) => log.write(stream, bytes),
      proxied: (proxy) => network.follow(proxy),
      signal,
    });
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
  const proposed = detected.proposed.map(({ name, line, command }) => ({
    ...{ name, line: mask(line) },
    command: JSON.stringify(command).length > mostOfCommand ? [] : command.map(mask),
  }));
  const requiredVariables = detected.requiredVariables.map(mask);
  return { ...Object.fromEntries(texts), signals, requiredVariables, proposed };
}

const mostOfCommand = 2_000;

/** The findings with what is proposed as the image has to be told it. */
export function withCommands(detected: DetectedBuild, commands: ProposedCommands): DetectedBuild {
  const proposed = detected.proposed.map((one) => ({ ...one, command: commands.get(one.name) ?? [] }));
  return { ...detected, proposed };
}

export function toldOf(detected: DetectedBuild): string[] {
  const { provider, framework, packageManager, installCommand, buildCommand, startCommand, outputDir } = detected;
  const rows = { provider, framework, packages: packageManager, install: installCommand, build: buildCommand };
  const told = { ...rows, start: startCommand, folder: outputDir, port: detected.port === 0 ? '' : `${detected.port}` };
  return [
    ...Object.entries(told).flatMap(([name, value]) => (value === '' ? [] : [`${`${name}:`.padEnd(11)}${value}`])),
    ...detected.signals.map(({ path, detail }) => `  ${join(path)}: ${detail}`),
  ];
}
