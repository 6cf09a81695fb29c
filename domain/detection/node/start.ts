import { shown, word } from '../build-plan.ts';
import type { Signal } from '../detected-build.ts';
import { linesOf, webOf } from '../procfile.ts';
import { objectOf, within } from '../source.ts';
import { developmentOf, isForMembers, withoutWatching } from './development.ts';
import type { Project } from './project.ts';
import { everythingOf, withoutBuild } from './scripts.ts';

/** The start of a package in production. */
export interface Start {
  /** A script of the package, or else a line of its own. */
  script?: string;
  line?: string;
  /** All that runs then. */
  text: string;
  /** '' for the line of a framework. */
  by: 'script' | 'procfile' | '';
  signals: Signal[];
}

const names = ['start', 'start:prod', 'start:production', 'production', 'prod', 'serve', 'server'];

/** The package's own word; undefined if it says nothing, or starts only what is for development. */
export function saidStart(project: Project, isRootOfOthers: boolean): Start | undefined {
  const { manifest } = project;
  const said = startOfProcfile(project);
  if (said !== undefined) return said;
  for (const name of names) {
    const raw = manifest.scripts.get(name);
    const text = everythingOf(manifest, name);
    if (raw === undefined || developmentOf(text) !== undefined) continue;
    if (isRootOfOthers && isForMembers(raw)) continue;
    const signals = [{ path: manifest.path, detail: `scripts.${name}: ${shown(raw)}` }];
    const built = withoutBuild(raw);
    if (built !== raw && /^(?:node|bun) /.test(built)) return { line: built, text: built, by: 'script', signals };
    return { script: name, text, by: 'script', signals };
  }
  return undefined;
}

/** The line of a Procfile, unless the script that it runs is for development in the end. */
function startOfProcfile(project: Project): Start | undefined {
  const { source, folder, manifest } = project;
  const web = webOf(source, folder, 'node');
  if (web === undefined || !isOfNode(project, web)) return undefined;
  const script = /^(?:npm|yarn|pnpm|bun)(?:[ \t]+run(?:-script)?)?[ \t]+([\w:.-]+)$/.exec(web)?.[1] ?? '';
  const text = manifest.scripts.has(script) ? everythingOf(manifest, script) : web;
  if (developmentOf(text) !== undefined) return undefined;
  const signals = [{ path: within(folder, 'Procfile'), detail: `web: ${shown(web)}` }];
  return { line: web, text, by: 'procfile', signals };
}

/** Whether the Procfile starts a program of another language. */
export function isStartedByAnother(project: Project): boolean {
  const { source, folder } = project;
  const web = linesOf(source, folder).get('web');
  return web !== undefined && (webOf(source, folder, 'node') === undefined || !isOfNode(project, web));
}

/** The line of a Procfile beside the manifest of another language is that one's, unless it names a program of Node. */
function isOfNode({ source, folder }: Project, line: string): boolean {
  const others = ['go.mod', 'Cargo.toml', 'requirements.txt', 'pyproject.toml', 'Pipfile', 'pom.xml', 'build.gradle'];
  if (!others.some((name) => source.has(within(folder, name)))) return true;
  return /(?:^|[\s;&|/])(?:node|npm|npx|yarn|pnpm|bun|bunx)\s/.test(line);
}

/** The conclusion from the scripts for development, from Nx, or from `main`. */
export function guessedStart(project: Project, listens: boolean): Start | undefined {
  return (
    watched(project) ?? nxStart(project) ?? (listens || isPrivateProgram(project) ? mainStart(project) : undefined)
  );
}

function watched({ source, folder, manifest }: Project): Start | undefined {
  // A package with a program of its own is a tool, whatever it watches.
  if (manifest.said.bin !== undefined) return undefined;
  for (const name of ['start', 'dev', 'develop', 'serve']) {
    const raw = manifest.scripts.get(name) ?? '';
    const once = withoutWatching(raw);
    if (once === undefined || !source.has(within(folder, once.file.replace(/^\.\//, '')))) continue;
    const detail = `scripts.${name} watches for changes, and without that it is ${once.line}`;
    return { line: once.line, text: once.line, by: 'script', signals: [{ path: manifest.path, detail }] };
  }
  return undefined;
}

/** A package that is never published, has packages and a file to run, and says nothing else. */
function isPrivateProgram({ manifest }: Project): boolean {
  const { said, scripts, dependencies } = manifest;
  return said.private === true && typeof said.main === 'string' && scripts.size === 0 && dependencies.size > 0;
}

function nxStart({ source, folder, manifest }: Project): Start | undefined {
  const path = within(folder, 'project.json');
  const build = objectOf(objectOf(source.object(path)?.targets)?.build);
  const output = objectOf(build?.options)?.outputPath;
  if (!manifest.packages.has('nx') || typeof output !== 'string' || !/^[\w./-]{1,200}$/.test(output)) return undefined;
  const line = `node ${word(`${output}/main.js`)}`;
  return { line, text: line, by: '', signals: [{ path, detail: `Nx builds into ${output}` }] };
}

function mainStart({ source, folder, manifest }: Project): Start | undefined {
  const said = manifest.said.main;
  const candidates = [
    ...(typeof said === 'string' ? [said.replace(/^\.\//, '')] : []),
    'server.js',
    'app.js',
    'index.js',
  ];
  const file = candidates.find((one) => /^[\w@./-]+\.[cm]?js$/.test(one) && source.has(within(folder, one)));
  if (file === undefined) return undefined;
  const line = `node ${file}`;
  return { line, text: line, by: '', signals: [{ path: within(folder, file), detail: 'The file that is started' }] };
}
