import type { BuildStep } from '../build-plan.ts';
import { word } from '../build-plan.ts';
import { type Source, within } from '../source.ts';
import { developmentOf } from './development.ts';
import { manifestOf } from './manifest.ts';
import { managerOf } from './package-managers.ts';
import { configOf, projectOf, saidOf } from './project.ts';
import { everythingOf } from './scripts.ts';
import { nodeVersionOf } from './versions.ts';

/** Scripts and styles that a package.json builds for a program of another language. */
export interface Assets {
  /** The file that says it. */
  path: string;
  /** As people write it. */
  build: string;
  steps: BuildStep[];
  toolchain: { name: string; version: string }[];
}

/** Names of scripts, those first that build for production where another builds for work on the code. */
const scripts = ['production', 'prod', 'build:production', 'build:prod', 'build', 'deploy', 'compile'];
/** Others of the last two names bring something to another platform. */
const bundler = /\b(?:webpack|esbuild|vite|parcel|rollup|encore)\b/;

/** The front end whose package.json is in the folder of the program. */
export function assetsOf(source: Source, folder: string): Assets | undefined {
  return builtBy(source, folder, folder);
}

/** One in a folder below, whose packages are its own. */
export function assetsBelow(source: Source, folder: string, below: string): Assets | undefined {
  return builtBy(source, folder, within(folder, below));
}

/** Folders below whose bundler writes into the folders of the program. */
export function frontEndsOf(source: Source, folder: string): string[] {
  return source.folders(folder).filter((name) => {
    const manifest = /^[\w.-]{1,100}$/.test(name) ? manifestOf(source, within(folder, name)) : undefined;
    if (manifest === undefined) return false;
    const out = saidOf(configOf(projectOf(source, manifest), 'vite.config'), 'outDir') ?? '';
    return out.startsWith('../') && !out.startsWith('../../');
  });
}

function builtBy(source: Source, root: string, folder: string): Assets | undefined {
  const manifest = manifestOf(source, folder);
  const script = scripts.find((name) => {
    const text = manifest === undefined ? '' : everythingOf(manifest, name);
    if (text === '' || developmentOf(text) !== undefined) return false;
    return (name !== 'deploy' && name !== 'compile') || bundler.test(text);
  });
  if (manifest === undefined || script === undefined) return undefined;
  const { manager, pinned, installCommand, environment } = managerOf(source, folder, [manifest]);
  const below = folder === root ? '' : folder.slice(root === '' ? 0 : root.length + 1);
  const there = (line: string): string => (below === '' ? line : `(cd ${word(below)} && ${line})`);
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value} `);
  const build = there(`${manager.name} run ${word(script)}`);
  return {
    path: manifest.path,
    build,
    steps: [
      { name: 'install assets', command: there(`${set.join('')}${installCommand}`), caches: [manager.name] },
      { name: 'build assets', command: build, caches: [] },
    ],
    toolchain: [
      { name: 'node', version: nodeVersionOf(source, [{ folder, manifest }])?.version ?? '' },
      ...(manager.name === 'npm' ? [] : [{ name: manager.name, version: pinned }]),
    ],
  };
}
