import { shown, word } from '../build-plan.ts';
import { type Outcome, refused, server } from '../outcome.ts';
import { portOfCommand, portOfSource } from '../ports.ts';
import { webOf } from '../procfile.ts';
import { type Source, upwards, within } from '../source.ts';
import { type Demand, saidVersionOf } from '../versions.ts';

/** The part of a Cargo.toml that detection reads. */
interface CargoManifest {
  path: string;
  name: string;
  defaultRun: string;
  /** Programs that it names itself. */
  bins: readonly string[];
  isWorkspace: boolean;
  /** Of the package, or of all packages of the workspace. */
  rustVersion: string;
  dependencies: ReadonlySet<string>;
}

function cargoManifestOf(source: Source, folder: string): CargoManifest | undefined {
  const path = within(folder, 'Cargo.toml');
  if (!source.has(path)) return undefined;
  let section = '';
  let [name, defaultRun, rustVersion, isWorkspace] = ['', '', '', false];
  const bins: string[] = [];
  const dependencies = new Set<string>();
  for (const line of source.text(path).split(/\r?\n/)) {
    const header = /^\s*\[{1,2}([^\][]{1,200})\]{1,2}/.exec(line)?.[1]?.trim();
    if (header !== undefined) {
      section = header;
      if (section === 'workspace') isWorkspace = true;
      const named = /^dependencies\.([\w-]+)$/.exec(section)?.[1];
      if (named !== undefined) dependencies.add(named);
      continue;
    }
    const [, key = '', value = ''] = /^\s*([\w.-]{1,200})\s*=\s*(?:["']([\w.-]{1,200})["'])?/.exec(line) ?? [];
    if (section === 'package' && key === 'name') name = value;
    if (section === 'package' && key === 'default-run') defaultRun = value;
    if (/^(?:workspace\.)?package$/.test(section) && key === 'rust-version') rustVersion = value;
    if (section === 'bin' && key === 'name') bins.push(value);
    if (section === 'dependencies' && key !== '') dependencies.add(key.split('.')[0] ?? key);
  }
  return { path, name, defaultRun, bins, isWorkspace, rustVersion, dependencies };
}

/** The workspace above a folder, where its packages are built. */
function cargoRootOf(source: Source, folder: string): string {
  return upwards(folder).findLast((one) => cargoManifestOf(source, one)?.isWorkspace) ?? folder;
}

/** A framework is one entry; those that others are made of come last. */
export const rustFrameworks: readonly {
  name: string;
  crate: string;
  port: number;
  start?: string;
  environment?: Record<string, string>;
}[] = [
  {
    name: 'rocket',
    crate: 'rocket',
    port: 8000,
    start: 'ROCKET_PORT=$PORT bin/app',
    environment: { ROCKET_ADDRESS: '0.0.0.0' },
  },
  { name: 'actix', crate: 'actix-web', port: 8080 },
  { name: 'axum', crate: 'axum', port: 8080 },
  { name: 'poem', crate: 'poem', port: 8080 },
  { name: 'salvo', crate: 'salvo', port: 8080 },
  { name: 'warp', crate: 'warp', port: 8080 },
  { name: 'tide', crate: 'tide', port: 8080 },
  { name: 'hyper', crate: 'hyper', port: 8080 },
];

const ports = [
  /"[\w.[\]]{0,60}:(\d{2,5})"/,
  /\(\s*"[\w.]{1,60}",\s*(\d{2,5})\s*\)/,
  /\(\[[\d, ]{7,20}\],\s*(\d{2,5})\s*\)/,
];

/** How a folder with a Cargo.toml is built; undefined if it has none. */
export function fromRust(source: Source, folder: string): Outcome | undefined {
  const manifest = cargoManifestOf(source, folder);
  if (manifest === undefined) return undefined;
  const programs = programsOf(source, folder, manifest);
  const web = webOf(source, folder, 'rust');
  const program = chosenOf(programs, manifest, programOf(web));
  if (program === undefined) return noProgram(manifest, programs);

  const directory = cargoRootOf(source, folder);
  const locked = source.has(within(directory, 'Cargo.lock')) ? ' --locked' : '';
  const only = directory === folder ? '' : ` --package ${word(manifest.name)}`;
  const command = `cargo build --release${locked}${only} && mkdir -p bin && cp ${word(`target/release/${program}`)} bin/app`;
  const framework = rustFrameworks.find(({ crate }) => manifest.dependencies.has(crate));
  const files = [
    'src/main.rs',
    `src/bin/${program}.rs`,
    'src/bin/server.rs',
    'src/http/mod.rs',
    'src/startup.rs',
    'src/server.rs',
  ];
  const start = web === undefined ? (framework?.start ?? 'bin/app') : asBuilt(web, program);
  const port = portOfCommand(web ?? '', 'procfile') ??
    portOfSource(
      source,
      files.map((file) => within(folder, file)),
      ports,
    ) ?? {
      port: framework?.port ?? 8080,
      portSource: framework === undefined ? 'default' : 'framework',
    };
  const told = {
    framework: framework?.name ?? '',
    packageManager: 'cargo',
    buildCommand: command,
    monorepo: directory !== folder,
    signals: [
      { path: manifest.path, detail: `The package ${shown(manifest.name)}, whose program is ${shown(program)}` },
      ...(framework === undefined ? [] : [{ path: manifest.path, detail: `It is made with ${framework.name}` }]),
      ...(web === undefined ? [] : [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }]),
    ],
  };
  const build = {
    provider: 'rust' as const,
    directory,
    toolchain: [{ name: 'rust', version: toolchainOf(source, directory), ...demandOf(source, manifest, directory) }],
    steps: [{ name: 'build', command, caches: ['cargo', 'target'] }],
    drop: ['target'],
    environment: framework?.environment ?? {},
    told,
    asRun: (line: string) => asRun(line, program, programs),
  };
  return server(build, start, port, web === undefined ? 'server' : 'started');
}

function programsOf(source: Source, folder: string, { name, bins }: CargoManifest): string[] {
  const main = source.has(within(folder, 'src/main.rs')) && bins.length === 0 ? [name] : [];
  const files = source.files(within(folder, 'src/bin')).filter((file) => /^[\w-]+\.rs$/.test(file));
  const named = bins.length > 0 ? [] : files.map((file) => file.replace(/\.rs$/, ''));
  return [...new Set([...bins, ...main, ...named])].filter((one) => one !== '');
}

/** The name of the program that a line of a Procfile starts, where Cargo leaves it or by itself. */
function programOf(line: string | undefined): string {
  return (
    /(?:^|[\s/])target\/release\/([\w-]+)(?=\s|$)/.exec(line ?? '')?.[1] ??
    /^[\w-]+(?=\s|$)/.exec(line ?? '')?.[0] ??
    ''
  );
}

/** A line with the program where the image has it: the folder of Cargo is not in that. */
function asBuilt(line: string, program: string): string {
  return line
    .replace(/(^|[\s;&|])(?:\.\/)?target\/release\/([\w-]+)(?=[\s;&|]|$)/g, (whole, before: string, name: string) =>
      name === program ? `${before}bin/app` : whole,
    )
    .replace(/^[\w-]+(?=\s|$)/, (name) => (name === program ? 'bin/app' : name));
}

/** The same, unless it starts a program that was not built. */
function asRun(line: string, program: string, programs: readonly string[]): string | undefined {
  const name = programOf(line);
  const isOther = name !== program && (line.includes('target/release/') || programs.includes(name));
  return isOther ? undefined : asBuilt(line, program);
}

/** Of several programs the one that the Procfile names, that is run by default, has the package's name, or serves. */
function chosenOf(programs: readonly string[], { name, defaultRun }: CargoManifest, web: string): string | undefined {
  if (programs.length <= 1) return programs[0];
  const named = [web, defaultRun, name, 'server', `${name}-server`, 'api', 'web'].find((one) => programs.includes(one));
  return named ?? programs.find((one) => one.endsWith('-server') || one.endsWith('_server'));
}

/** The oldest compiler that the package, or its workspace, is for: Cargo refuses an older one. */
function demandOf(source: Source, manifest: CargoManifest, directory: string): { demand?: Demand } {
  const root = cargoManifestOf(source, directory);
  const own = manifest.rustVersion === '' ? root : manifest;
  return own === undefined || own.rustVersion === ''
    ? {}
    : { demand: { text: `>=${own.rustVersion}`, path: own.path } };
}

function toolchainOf(source: Source, folder: string): string {
  const plain = source.text(within(folder, 'rust-toolchain')).trim();
  const said = /^channel\s*=\s*"([\w.-]{1,60})"/m.exec(
    `${plain}\n${source.text(within(folder, 'rust-toolchain.toml'))}`,
  )?.[1];
  return said ?? (/^[\w.-]{1,60}$/.test(plain) ? plain : saidVersionOf(source, folder, 'rust').version);
}

function noProgram({ path, isWorkspace }: CargoManifest, programs: readonly string[]): Outcome {
  if (programs.length > 1) {
    const list = programs.slice(0, 8).map(shown).join(', ');
    return refused('rust', `${shown(path)} has several programs (${list}): name one as default-run in [package].`);
  }
  const what = isWorkspace
    ? 'is a workspace without a program of its own'
    : 'is a library: it has neither src/main.rs nor [[bin]]';
  return { kind: 'refused', provider: 'rust', message: `${shown(path)} ${what}.`, signals: [], monorepo: isWorkspace };
}
