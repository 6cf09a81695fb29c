import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { machineNpm } from '../../agent/builders/tools/toolbox.ts';
import { notRun } from '../run/not-run.ts';

/** A layer on the plain system: packages of Debian, then lines for a shell within it, then files of this machine. */
interface Recipe {
  packages: readonly string[];
  lines?: readonly string[];
  /** By their place in the image. */
  files?: Readonly<Record<string, string>>;
  links?: Readonly<Record<string, string>>;
  environment?: readonly string[];
}

const npmAt = 'usr/local/lib/node_modules/npm';
const recipes = {
  system: { packages: [] },
  node: {
    packages: [],
    files: { 'usr/local/bin/node': process.execPath, [npmAt]: machineNpm() ?? 'npm' },
    links: { 'usr/local/bin/npm': `/${npmAt}/bin/npm-cli.js`, 'usr/local/bin/npx': `/${npmAt}/bin/npx-cli.js` },
  },
  python: {
    packages: ['ca-certificates', 'python3', 'python3-venv', 'python3-pip'],
    // The images of Python let pip write beside it.
    lines: ['rm -f /usr/lib/python3*/EXTERNALLY-MANAGED', 'ln -s python3 /usr/bin/python'],
  },
  go: {
    packages: ['ca-certificates'],
    files: { 'usr/local/go': '/usr/local/go' },
    environment: ['PATH=/go/bin:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin', 'GOTOOLCHAIN=local', 'GOPATH=/go'],
  },
  rust: { packages: ['ca-certificates', 'gcc', 'libc6-dev', 'cargo-web', 'rustc-web'] },
  /** With Maven. */
  java: { packages: ['ca-certificates', 'default-jdk-headless', 'maven'] },
} satisfies Record<string, Recipe>;

export type DebianName = keyof typeof recipes;

const suite = 'bookworm';
const mirror = 'http://deb.debian.org/debian';
const usualPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const sources = ['', '-updates']
  .map((part) => `deb ${mirror} ${suite}${part} main\n`)
  .concat(`deb ${mirror}-security ${suite}-security main\n`)
  .join('');

export interface DebianLayer {
  path: string;
  /** Of its tar. */
  digest: string;
  environment: readonly string[];
}

/** Says what is missing here, once. */
export function debianCanBeMade(): boolean {
  if (process.getuid?.() === 0 && existsSync('/usr/sbin/debootstrap')) return true;
  notRun('images of Debian', 'install debootstrap and run as root', 'debootstrap');
  return false;
}

/** The layers of an image, from below. They are made at the first need, which takes minutes, and kept from run to run. */
export async function debianLayers(name: DebianName): Promise<DebianLayer[]> {
  const system = await layer('system');
  return name === 'system' ? [system] : [system, await layer(name)];
}

async function layer(name: DebianName): Promise<DebianLayer> {
  const recipe: Recipe = recipes[name];
  const environment = recipe.environment ?? [usualPath];
  const path = join(place(name), `${name}.tar`);
  if (!existsSync(path)) await make(name, recipe, path);
  return { path, digest: await digestOf(path), environment };
}

/** Another recipe is another place, as is another Node. */
function place(name: DebianName): string {
  const made = createHash('sha256').update(JSON.stringify([suite, recipes[name], process.version]));
  return join(process.env.TEST_CACHE ?? tmpdir(), `ballast-debian-${name}-${made.digest('hex').slice(0, 12)}`);
}

async function make(name: DebianName, recipe: Recipe, path: string): Promise<void> {
  // Runs that make the same at the same time do not see each other's: the last rename does no harm.
  const draft = `${dirname(path)}.${process.pid}`;
  const [upper, tar] = [join(draft, 'upper'), join(draft, 'layer.tar')];
  for (const part of ['upper', 'work', 'merged']) await mkdir(join(draft, part), { recursive: true });
  try {
    if (name === 'system') await bootstrap(upper);
    else if (recipe.packages.length > 0) install(draft, await rootOfSystem(), recipe);
    for (const [to, from] of Object.entries(recipe.files ?? {}))
      await cp(from, join(upper, to), { recursive: true, verbatimSymlinks: true });
    for (const [to, target] of Object.entries(recipe.links ?? {})) {
      await mkdir(dirname(join(upper, to)), { recursive: true });
      await symlink(target, join(upper, to));
    }
    const same = ['--sort=name', '--mtime=@0', '--numeric-owner', '--exclude=./dev/*'];
    execFileSync('tar', [...same, '-C', upper, '-cf', tar, '.']);
    await mkdir(dirname(path), { recursive: true });
    // Layers of packages are made on its folders.
    if (name === 'system') await rename(upper, join(dirname(path), 'root')).catch(() => undefined);
    await rename(tar, path);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function bootstrap(root: string): Promise<void> {
  quietly('debootstrap', ['--variant=minbase', suite, root, mirror]);
  await writeFile(join(root, 'etc/apt/sources.list'), sources);
  for (const left of ['var/lib/apt/lists', 'var/cache/apt/archives', 'usr/share/doc', 'usr/share/locale'])
    await rm(join(root, left), { recursive: true });
}

async function rootOfSystem(): Promise<string> {
  const { path } = await layer('system');
  return join(dirname(path), 'root');
}

/** In namespaces of its own, so that no mount outlives it; the layer is what it has changed. */
function install(draft: string, root: string, { packages, lines = [] }: Recipe): void {
  const script = [
    // The temporary folder of this run is outside.
    'export DEBIAN_FRONTEND=noninteractive TMPDIR=/tmp',
    'apt-get -qq update',
    `apt-get -qq install -y --no-install-recommends ${packages.join(' ')}`,
    ...lines,
    'rm -rf /var/lib/apt/lists /var/cache/apt /var/log/* /usr/share/doc /usr/share/man /usr/share/locale',
  ];
  const within = [
    `mount -t overlay overlay -o lowerdir=${root},upperdir=upper,workdir=work merged`,
    'mount -t proc proc merged/proc',
    'exec chroot merged /bin/sh -ec "$1"',
  ].join(' && ');
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  quietly('unshare', [...namespaces, 'sh', '-c', within, 'sh', script.join('\n')], draft);
  const hidden = execFileSync('find', [join(draft, 'upper'), '-type', 'c'], { encoding: 'utf8' });
  for (const path of hidden.split('\n').filter(Boolean)) {
    execFileSync('rm', [path]);
    execFileSync('touch', [join(dirname(path), `.wh.${path.slice(dirname(path).length + 1)}`)]);
  }
}

/** A failure has what was said last. */
function quietly(program: string, words: readonly string[], cwd?: string): void {
  try {
    execFileSync(program, [...words], { cwd, stdio: 'pipe', maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`${program} fails: ${`${stdout}\n${stderr}`.slice(-2000)}`);
  }
}

async function digestOf(path: string): Promise<string> {
  const kept = `${path}.sha256`;
  if (existsSync(kept) && statSync(kept).mtimeMs >= statSync(path).mtimeMs) return await readFile(kept, 'utf8');
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  const digest = `sha256:${sum.digest('hex')}`;
  await writeFile(kept, digest);
  return digest;
}
