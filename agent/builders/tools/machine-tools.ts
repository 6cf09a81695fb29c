import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tool } from '../../../domain/detection/build-plan.ts';
import { allows, compare, versionOf } from '../../../domain/detection/versions.ts';
import { Refusal } from '../../program/refusal.ts';

/** Where programs of the system are; builds see nothing else of the machine, unless it is mounted for them. */
export const systemPath = '/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A toolchain of the machine: the program that shows that it is there, how it tells its version, and what to install. */
interface MachineTool {
  program: string;
  called: string;
  /** Its packages of Debian, or where it is had; `{version}` is the one that is asked for. */
  install: string;
  /** Words by which it says its version, and where that stands in the answer. */
  version?: { words: readonly string[]; of: RegExp; by?: string };
  /** Such a version fetches a newer one itself. */
  fetches?: string;
  /** Its name in the folders of asdf and mise. */
  folder?: string;
}

const version = (words: string, of: RegExp, by?: string): NonNullable<MachineTool['version']> => ({
  words: words.split(' '),
  of,
  ...(by === undefined ? {} : { by }),
});

export const machineTools: Readonly<Record<string, MachineTool>> = {
  python: {
    ...{ program: 'python3', called: 'Python', install: 'python3 python3-venv python3-pip', folder: 'python' },
    version: version('--version', /Python (\S+)/),
  },
  pip: { program: 'pip3', called: 'pip', install: 'python3-pip' },
  go: {
    ...{ program: 'go', called: 'Go', install: 'golang-go', folder: 'golang', fetches: '1.21' },
    version: version('version', /go(\d[\d.]*)/),
  },
  rust: {
    ...{ program: 'cargo', called: 'Rust', install: 'cargo', folder: 'rust' },
    version: version('--version', /rustc (\S+)/, 'rustc'),
  },
  java: {
    ...{ program: 'javac', called: 'a Java development kit', install: 'default-jdk-headless', folder: 'java' },
    version: version('-version', /javac (?:1\.)?(\S+)/),
  },
  maven: { program: 'mvn', called: 'Maven', install: 'maven', folder: 'maven' },
  gradle: { program: 'gradle', called: 'Gradle', install: 'gradle', folder: 'gradle' },
  php: {
    ...{ program: 'php', called: 'PHP', install: 'php-cli', folder: 'php' },
    version: version('-n -r echo(PHP_VERSION);', /(\d\S*)/),
  },
  composer: { program: 'composer', called: 'Composer', install: 'composer' },
  ruby: {
    ...{ program: 'ruby', called: 'Ruby', install: 'ruby-dev build-essential', folder: 'ruby' },
    version: version('--version', /ruby (\d+(?:\.\d+)*)/),
  },
  bundler: { program: 'bundle', called: 'Bundler', install: 'bundler', folder: 'ruby' },
  elixir: {
    ...{ program: 'mix', called: 'Elixir', install: 'elixir erlang-dev', folder: 'elixir' },
    version: version('--short-version', /(\d\S*)/, 'elixir'),
  },
  deno: {
    ...{ program: 'deno', called: 'Deno', install: 'Deno from https://deno.com into /usr/local/bin', folder: 'deno' },
    version: version('--version', /deno (\S+)/),
  },
  dotnet: {
    ...{ program: 'dotnet', called: '.NET', install: 'dotnet-sdk-{version}', folder: 'dotnet' },
    version: version('--version', /(\d\S*)/),
  },
  hugo: { program: 'hugo', called: 'Hugo', install: 'hugo', version: version('version', /v(\d\S*)/), folder: 'hugo' },
};

/** A folder of programs for a build, and what has to be mounted for it. */
export interface Found {
  /** In front of the system's; '' for those. */
  path: string;
  mount: string | undefined;
}

interface Where {
  /** Folders of the system. */
  system: readonly string[];
  home: string;
  /** Builds of root run as another user, to whom root's home is closed. */
  isRoot: boolean;
}

const machine: Where = { system: systemPath.split(':'), home: homedir(), isRoot: process.getuid?.() === 0 };

/** The tool on this machine, in a version that the source can be built with; a refusal says what is there instead. */
export async function findTool({ name, version: asked, demand }: Tool, where: Where = machine): Promise<Found> {
  const tool = machineTools[name];
  const wanted = asked === '' ? '' : ` ${asked}`;
  if (tool === undefined) throw new Refusal(`The build needs ${name}${wanted}, which this cluster does not know.`);
  const folder = where.system.find((one) => existsSync(join(one, tool.program)));
  const there = folder === undefined ? undefined : await toldVersion(tool, folder);
  const fits = (has: string | undefined): boolean => {
    if (demand === undefined || has === undefined) return true;
    if (tool.fetches !== undefined && compare(versionOf(has) ?? [0], versionOf(tool.fetches) ?? [0]) >= 0) return true;
    return allows(demand.text, has) ?? true;
  };
  if (folder !== undefined && fits(there)) return { path: '', mount: undefined };
  const own = installedBy(tool, where.home);
  const mine = where.isRoot ? undefined : own.find((one) => isOpen(one, tool) && fits(one.version));
  if (mine !== undefined) return { path: mine.bin, mount: mine.folder };
  const closed = own.find((one) => fits(one.version));
  const elsewhere =
    closed === undefined
      ? ''
      : ` What is in ${closed.folder} is ${where.isRoot ? "root's own, and builds run as another user" : 'closed to the user of the agent'}.`;
  if (folder === undefined || there === undefined)
    throw new Refusal(
      `The build needs ${tool.called}${wanted}, and the machine of the cluster has no program ${tool.program} beneath /usr: install ${tool.install.replace('{version}', asked || '10.0')}.${elsewhere}`,
    );
  throw new Refusal(
    `${demand?.path} asks for ${tool.called} ${demand?.text}, and the machine of the cluster has ${there} (${join(folder, tool.program)}): install one that fits beneath /usr, widen what is asked for, or build on a cluster with the driver docker.${elsewhere}`,
  );
}

const run = promisify(execFile);

/** Undefined where it does not say one. */
async function toldVersion(tool: MachineTool, folder: string): Promise<string | undefined> {
  if (tool.version === undefined) return undefined;
  const { words, of, by = tool.program } = tool.version;
  const environment = { PATH: systemPath, HOME: '/nonexistent', LANG: 'C.UTF-8', DOTNET_CLI_TELEMETRY_OPTOUT: '1' };
  try {
    const { stdout, stderr } = await run(join(folder, by), [...words], { env: environment, timeout: 60_000, cwd: '/' });
    return of.exec(`${stdout}${stderr}`)?.[1];
  } catch {
    return undefined;
  }
}

/** Extensions that PHP lacks of those that a source demands: Composer would find out after it has fetched everything. */
export async function checkExtensions({ extensions, demand }: Tool, folder = '/usr/bin'): Promise<void> {
  const demanded = extensions?.demanded ?? [];
  if (demanded.length === 0) return;
  const { stdout } = await run(join(folder, 'php'), ['-m'], { env: { PATH: systemPath }, timeout: 60_000, cwd: '/' });
  const has = new Set(
    stdout
      .toLowerCase()
      .split(/\r?\n/)
      .map((line) => (line === 'zend opcache' ? 'opcache' : line)),
  );
  const missing = demanded.filter((name) => !has.has(name));
  if (missing.length === 0) return;
  const packages = missing.map((name) => `php-${packaged[name] ?? name}`);
  throw new Refusal(
    `${demand?.path ?? 'composer.json'} asks for extensions that PHP of the cluster's machine lacks: ${missing.join(', ')}. Install ${[...new Set(packages)].join(' ')}, or build on a cluster with the driver docker.`,
  );
}

/** Debian keeps several of them in one package. */
const packaged: Readonly<Record<string, string>> = {
  ...{ dom: 'xml', simplexml: 'xml', xmlreader: 'xml', xmlwriter: 'xml', xsl: 'xml' },
  ...{ pdo_mysql: 'mysql', mysqli: 'mysql', pdo_pgsql: 'pgsql', pdo_sqlite: 'sqlite3' },
};

interface Installed {
  /** A folder to mount, and the folder of programs in it. */
  folder: string;
  bin: string;
  version: string;
}

/** Versions that rustup, pyenv, rbenv, asdf, mise and installers of single tools keep in a home, the newest first. */
function installedBy({ program, folder = '' }: MachineTool, home: string): Installed[] {
  const kept = [
    ...(folder === 'rust' ? ['.rustup/toolchains'] : []),
    ...(folder === 'python' ? ['.pyenv/versions'] : []),
    ...(folder === 'ruby' ? ['.rbenv/versions'] : []),
    `.asdf/installs/${folder}`,
    `.local/share/mise/installs/${folder === 'golang' ? 'go' : folder}`,
  ];
  const several = kept.flatMap((below) => foldersIn(join(home, below)));
  const single = [join(home, `.${folder}`), join(home, folder === 'golang' ? 'go-sdk' : `.${folder}`)];
  return [...new Set([...several, ...single])]
    .flatMap((at) =>
      ['bin', 'go/bin', ''].map((below) => ({ folder: at, bin: join(at, below), version: at.replace(/^.*\//, '') })),
    )
    .filter(({ bin }) => folder !== '' && isProgram(join(bin, program)))
    .map((one) => ({ ...one, version: versionOf(one.version)?.join('.') ?? '' }))
    .toSorted((one, other) => compare(versionOf(other.version) ?? [0], versionOf(one.version) ?? [0]));
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path).map((name) => join(path, name));
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isOpen({ folder, bin }: Installed, { program }: MachineTool): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    accessSync(join(bin, program), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
