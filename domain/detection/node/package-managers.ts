import { shown } from '../build-plan.ts';
import type { Signal } from '../detected-build.ts';
import { type Source, within } from '../source.ts';
import type { Manifest } from './manifest.ts';

export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  lockfiles: readonly string[];
  /** With packages of development, which builds need; `locked` if its lockfile is there. */
  install(locked: boolean, modern: boolean): string;
  /** A program of an installed package. */
  exec: string;
}

/** In the order in which lockfiles count: npm leaves one behind in passing. */
export const packageManagers: readonly PackageManager[] = [
  {
    name: 'bun',
    lockfiles: ['bun.lock', 'bun.lockb'],
    install: (locked) => (locked ? 'bun install --frozen-lockfile' : 'bun install'),
    exec: 'bunx',
  },
  {
    name: 'pnpm',
    lockfiles: ['pnpm-lock.yaml'],
    install: (locked) => `pnpm install --${locked ? '' : 'no-'}frozen-lockfile --prod=false`,
    exec: 'pnpm exec',
  },
  {
    name: 'yarn',
    lockfiles: ['yarn.lock'],
    install: (locked, modern) => {
      // In a build it takes a missing lockfile for a fault, unless it is told.
      if (modern) return `yarn install --${locked ? '' : 'no-'}immutable`;
      return `yarn install ${locked ? '--frozen-lockfile ' : ''}--production=false`;
    },
    exec: 'yarn run',
  },
  {
    name: 'npm',
    lockfiles: ['package-lock.json', 'npm-shrinkwrap.json'],
    install: (locked) => (locked ? 'npm ci --include=dev' : 'npm install --include=dev'),
    exec: 'npx',
  },
];

export interface Managed {
  manager: PackageManager;
  pinned: string;
  installCommand: string;
  environment: Readonly<Record<string, string>>;
  signals: Signal[];
}

/** The package manager of a folder: the one that its package.json pins, or else that of its lockfile, or else npm. */
export function managerOf(source: Source, folder: string, manifests: readonly (Manifest | undefined)[]): Managed {
  const signals: Signal[] = [];
  const locked = packageManagers.flatMap((manager) => {
    const lockfile = manager.lockfiles.find((file) => source.has(within(folder, file)));
    return lockfile === undefined ? [] : [{ manager, path: within(folder, lockfile) }];
  });
  const pin = pinOf(manifests);
  const chosen = pin?.manager ?? locked[0]?.manager ?? byDefault(source, folder);
  const own = locked.find(({ manager }) => manager === chosen);
  if (pin !== undefined) signals.push({ path: pin.path, detail: `packageManager pins ${chosen.name} ${pin.version}` });
  if (own !== undefined && pin === undefined) signals.push({ path: own.path, detail: `A lockfile of ${chosen.name}` });
  for (const { manager, path } of locked.filter((one) => one !== own)) {
    const why = pin === undefined ? `${own?.path ?? 'another one'} counts first` : 'the pinned one counts';
    signals.push({ path, detail: `A lockfile of ${manager.name}, too: ${chosen.name} is used, since ${why}` });
  }
  const modern = chosen.name === 'yarn' && isModern(source, folder, pin?.version ?? '');
  return {
    manager: chosen,
    pinned: pin?.version ?? '',
    installCommand: chosen.install(own !== undefined, modern),
    environment: modern && isLoaded(source, folder) ? { YARN_NODE_LINKER: 'node-modules' } : {},
    signals,
  };
}

function byDefault(source: Source, folder: string): PackageManager {
  const name = source.has(within(folder, 'pnpm-workspace.yaml')) ? 'pnpm' : 'npm';
  const found = packageManagers.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is missing in the table of package managers.`);
  return found;
}

function pinOf(
  manifests: readonly (Manifest | undefined)[],
): { manager: PackageManager; version: string; path: string } | undefined {
  for (const manifest of manifests) {
    const said = manifest?.said.packageManager;
    if (manifest === undefined || typeof said !== 'string') continue;
    const [, name, version = ''] = /^(\w+)@(\d[\w.-]{0,40})(?:\+.*)?$/.exec(shown(said)) ?? [];
    const manager = packageManagers.find((one) => one.name === name);
    if (manager !== undefined) return { manager, version, path: manifest.path };
  }
  return undefined;
}

/** Yarn's own loader of packages, its default, has to be in every command that starts Node: those of people are without. */
function isLoaded(source: Source, folder: string): boolean {
  const linker = /^nodeLinker[ \t]*:[ \t]*["']?([\w-]+)/m.exec(source.text(within(folder, '.yarnrc.yml')))?.[1];
  return linker === undefined || linker === 'pnp';
}

function isModern(source: Source, folder: string, version: string): boolean {
  if (version !== '') return !version.startsWith('1.');
  return source.has(within(folder, '.yarnrc.yml'));
}
