import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BuildPlan, Tool } from '../../../domain/detection/build-plan.ts';
import { isTooOld } from '../../../domain/detection/versions.ts';
import { fetchPublic } from '../../../outbound/request.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { SharedWork } from '../../images/shared-work.ts';
import { Refusal } from '../../program/refusal.ts';
import { removeFolder } from '../sandbox/mounts.ts';
import { unpackSource } from '../source/unpack-source.ts';
import { checkExtensions, findTool, systemPath } from './machine-tools.ts';
import { fetchingCommand, pythonOf, pythonProgram, pythonTools } from './python-tools.ts';

/** For machines that have Node and no npm. The digest is that of the file itself, whichever registry it comes from. */
const pinnedNpm = {
  version: '11.6.2',
  integrity: 'sha512-7iKzNfy8lWYs3zq4oFPa8EXZz5xt9gQNKJZau3B1ErLBb6bF7sBJ00x09485DOvRT2l5Gerbl3VlZNT57MxJVA==',
};
const largest = 32 * 2 ** 20;

/** Has the package npm in the folder, checked. */
async function fetchNpm(
  folder: string,
  { registry, outbound }: { registry: string; outbound: OutboundRules },
  signal: AbortSignal,
): Promise<void> {
  const address = `${registry.replace(/\/+$/, '')}/npm/-/npm-${pinnedNpm.version}.tgz`;
  const bytes = await fetchPublic(address, { ...outbound, maxBytes: largest, timeoutMillis: 120_000 });
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (integrity !== pinnedNpm.integrity)
    throw new Refusal(
      `npm ${pinnedNpm.version} from ${new URL(address).host} is not the one that is expected: ${integrity}.`,
    );
  const draft = `${folder}.unpacked`;
  try {
    await unpackSource(
      Readable.from([bytes]).pipe(createGunzip()),
      draft,
      { bytes: 10 * largest, files: 20_000 },
      signal,
    );
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await rename(join(draft, 'package'), join(folder, 'node_modules', 'npm'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A package manager that comes from the registry of packages, by its version. */
interface Fetched {
  /** The package that has it, by version. */
  package(version: string): string;
  /** Where the source demands none. */
  version: string;
  /** Its programs: those that its package.json names and Node runs, or those that run by themselves, with these words. */
  programs: readonly { name: string; by: 'node' | 'itself'; words?: string }[];
}

const machine = process.arch === 'arm64' ? 'aarch64' : 'x64';

export const fetchedTools: Readonly<Record<string, Fetched>> = {
  npm: { package: () => 'npm', version: '11.6.2', programs: [byNode('npm'), byNode('npx')] },
  pnpm: { package: () => 'pnpm', version: '10.18.3', programs: [byNode('pnpm'), byNode('pnpx')] },
  yarn: {
    package: (version) => (version.startsWith('1.') ? 'yarn' : '@yarnpkg/cli-dist'),
    version: '1.22.22',
    programs: [byNode('yarn')],
  },
  // The package `bun` fetches this one in a script of its own, and scripts of packages are not run here.
  bun: {
    package: () => `@oven/bun-linux-${machine}`,
    version: '1.3.0',
    programs: [
      { name: 'bun', by: 'itself', words: 'bin/bun' },
      { name: 'bunx', by: 'itself', words: 'bin/bun x' },
    ],
  },
};

function byNode(name: string) {
  return { name, by: 'node' as const };
}

/** The folder of the package npm on this machine, by the program in the agent's PATH or beside its Node. */
export function machineNpm(path = process.env.PATH ?? ''): string | undefined {
  const beside = join(dirname(process.execPath), 'npm');
  const usual = ['/usr/local/bin/npm', '/usr/bin/npm', '/usr/share/nodejs/npm/bin/npm-cli.js'];
  const named = path.split(':').flatMap((directory) => (directory.startsWith('/') ? [join(directory, 'npm')] : []));
  for (const program of [beside, ...named, ...usual]) {
    const found = packageOf(program);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `npm` is a link to `npm/bin/npm-cli.js`; anything else is a program of somebody's own. */
function packageOf(program: string): string | undefined {
  try {
    const folder = dirname(dirname(realpathSync(program)));
    const { name }: { name?: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return name === 'npm' && existsSync(join(folder, 'bin', 'npm-cli.js')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The tools that a build finds in its sandbox. */
export interface Tools {
  mounts: { at: string; directory: string }[];
  path: string;
}

interface ToolboxOptions {
  home: string;
  outbound: OutboundRules;
  /** The registry of packages. */
  registry: string;
}

/** Runs a command in a sandbox that has these tools, and throws if it fails. */
type RunTool = (command: string, directory: string, tools: Tools, signal: AbortSignal) => Promise<void>;

const nodeAt = '/opt/node/bin';

/** Toolchains of builds: those of the machine, and package managers that are fetched once and kept beneath `<home>/build-tools`. */
export class Toolbox {
  readonly #options: ToolboxOptions;
  readonly #directory: string;
  readonly #fetched = new SharedWork<void>();

  constructor(options: ToolboxOptions) {
    this.#options = options;
    this.#directory = join(options.home, 'build-tools');
  }

  /** Clears what an agent that was killed has fetched in part. */
  async sweep(): Promise<void> {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory))
      if (name.startsWith('.')) await removeFolder(join(this.#directory, name));
  }

  /** `bin` is a folder for the programs of this build. */
  async prepare(
    toolchain: BuildPlan['toolchain'],
    { bin, run, say, signal }: { bin: string; run: RunTool; say(line: string): void; signal: AbortSignal },
  ): Promise<Tools> {
    mkdirSync(bin, { recursive: true, mode: 0o755 });
    const tools: Tools = { mounts: [{ at: '/opt/bin', directory: bin }], path: `/opt/bin:${nodeAt}:${systemPath}` };
    const wanted = new Map(toolchain.map(({ name, version }) => [name, version]));
    for (const tool of toolchain) {
      if (tool.name === 'node') checkNode(tool);
      else if (!(tool.name in fetchedTools) && !(tool.name in pythonTools)) {
        const { path, mount } = await findTool(tool);
        if (path !== '') tools.path = `${path}:${tools.path}`;
        if (mount !== undefined) tools.mounts.push({ at: mount, directory: mount });
        if (mount !== undefined) say(`${tool.name} of ${mount}`);
        if (tool.name === 'php') await checkExtensions(tool, path === '' ? undefined : path);
      }
    }
    if (wanted.has('php')) say(phpSentence());
    for (const name of wanted.keys())
      if (name in pythonTools) await this.#python(name, tools, bin, { run, say, signal });
    const packages = [...wanted.keys()].filter((name) => name in fetchedTools);
    if (!wanted.has('node') && packages.length === 0) return tools;
    tools.mounts.push({ at: nodeAt, directory: dirname(process.execPath) });
    say(nodeSentence(wanted.get('node') ?? ''));
    this.#put(tools, bin, 'npm', await this.#npm(signal));
    for (const name of packages) {
      const version = wanted.get(name) || (fetchedTools[name]?.version ?? '');
      if (name === 'npm' && !wanted.get(name)) continue;
      this.#put(tools, bin, name, await this.#fetch(name, version, tools, run, say, signal));
    }
    return tools;
  }

  /** The folder whose `node_modules` has npm: that of the machine, or a pinned one. */
  async #npm(signal: AbortSignal): Promise<{ package: string; folder: string }> {
    const found = machineNpm();
    if (found !== undefined) return { package: 'npm', folder: found };
    const folder = join(this.#directory, `npm-${pinnedNpm.version}-pinned`);
    await this.#kept(folder, signal, (draft, shared) => fetchNpm(draft, this.#options, shared));
    return { package: 'npm', folder: join(folder, 'node_modules', 'npm') };
  }

  async #fetch(
    name: string,
    version: string,
    tools: Tools,
    run: RunTool,
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<{ package: string; folder: string }> {
    if (!/^\d[\w.-]{0,60}$/.test(version)) throw new Refusal(`${JSON.stringify(version)} is no version of ${name}.`);
    const called = fetchedTools[name]?.package(version) ?? name;
    const folder = join(this.#directory, `${name}-${version}`);
    if (!existsSync(folder)) say(`${name} ${version} is fetched from the registry of packages.`);
    // npm compares what it fetches with the integrity that the registry states, and runs no script of the package.
    const command = `npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error '${called}@${version}'`;
    await this.#kept(folder, signal, (draft, shared) => run(command, draft, tools, shared));
    return { package: called, folder: join(folder, 'node_modules', called) };
  }

  /** A package manager of Python, beneath a folder that fits the machine's. */
  async #python(
    name: string,
    tools: Tools,
    bin: string,
    { run, say, signal }: { run: RunTool; say(line: string): void; signal: AbortSignal },
  ): Promise<void> {
    const called = `${name}-${pythonTools[name]?.version}`;
    const folder = join(this.#directory, `${called}-${pythonOf(systemPath.split(':'))}`);
    if (!existsSync(folder)) say(`${called.replace('-', ' ')} is fetched from the registry of packages.`);
    const own = { ...tools };
    await this.#kept(folder, signal, (draft, shared) => run(fetchingCommand(name), draft, own, shared));
    const at = `/opt/tools/${name}`;
    tools.mounts.push({ at, directory: join(folder, 'packages') });
    writeFileSync(join(bin, name), `#!/bin/sh\n${pythonProgram(name, at)}\n`, { mode: 0o755 });
  }

  /** There afterwards and whole, or not there at all. */
  async #kept(folder: string, signal: AbortSignal, fill: (draft: string, signal: AbortSignal) => Promise<void>) {
    await this.#fetched.share(folder, signal, async (shared) => {
      if (existsSync(folder)) return;
      const draft = join(dirname(folder), `.draft-${process.pid}-${folder.slice(this.#directory.length + 1)}`);
      await rm(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true, mode: 0o755 });
      try {
        writeFileSync(join(draft, 'package.json'), '{"private":true}\n');
        await fill(draft, shared);
        await rename(draft, folder);
      } finally {
        await removeFolder(draft);
      }
    });
  }

  /** Mounts the package, and writes its programs for a shell. */
  #put(
    tools: Tools,
    bin: string,
    name: string,
    { package: called, folder }: { package: string; folder: string },
  ): void {
    const at = `/opt/tools/${name}/${called}`;
    tools.mounts = [
      ...tools.mounts.filter((one) => !one.at.startsWith(`/opt/tools/${name}/`)),
      { at, directory: folder },
    ];
    const { bin: own = {} }: { bin?: string | Record<string, string> } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    for (const { name: program, by, words } of fetchedTools[name]?.programs ?? []) {
      const file = by === 'itself' ? words : typeof own === 'string' ? own : own[program];
      if (file === undefined) continue;
      const command = `${by === 'node' ? `${nodeAt}/node ` : ''}${at}/${file.replace(/^\.\//, '')}`;
      writeFileSync(join(bin, program), `#!/bin/sh\nexec ${command} "$@"\n`);
      chmodSync(join(bin, program), 0o755);
    }
  }
}

/** Of a newer Node than the agent's a build would fail, or what it makes. */
function checkNode({ demand }: Tool): void {
  const own = process.versions.node;
  if (demand === undefined || !isTooOld(demand.text, own)) return;
  throw new Refusal(
    `${demand.path} asks for Node ${demand.text}, and builds of the cluster have ${own}, that of its agent: update the agent, widen "engines", or build on a cluster with the driver docker.`,
  );
}

/** Said before anybody wonders why a site is slow. */
function phpSentence(): string {
  const has = systemPath.split(':').some((directory) => existsSync(join(directory, 'frankenphp')));
  return has
    ? 'FrankenPHP of the machine serves the site.'
    : 'The machine has no FrankenPHP: the site is served by the server that PHP brings, with four workers, which is for a few people at once. Install FrankenPHP beneath /usr, or deploy to a cluster with the driver docker.';
}

function nodeSentence(demanded: string): string {
  const own = process.versions.node;
  const [, major] = /(\d+)/.exec(demanded) ?? [];
  const differs = major !== undefined && major !== own.split('.')[0];
  return differs ? `Node ${own}, that of the cluster: the source asks for ${demanded}.` : `Node ${own}`;
}
