import { shown } from '../build-plan.ts';
import type { Signal } from '../detected-build.ts';
import { type Outcome, type Port, refused, server, site } from '../outcome.ts';
import { portOfCommand, portOfSource, portOfTemplate } from '../ports.ts';
import { type Source, within } from '../source.ts';
import { developmentOf, isForMembers } from './development.ts';
import { builders, bundlers, type Framework, servers } from './frameworks.ts';
import { longScripts, type Manifest, manifestOf } from './manifest.ts';
import { managerOf } from './package-managers.ts';
import { type Project, projectOf, publishedFolder } from './project.ts';
import { type Runner, runnerOf } from './run.ts';
import { buildScriptOf, everythingOf } from './scripts.ts';
import { guessedStart, isStartedByAnother, type Start, saidStart } from './start.ts';
import { nodeDemandOf, nodeVersionOf } from './versions.ts';
import { type Workspace, workspaceOf } from './workspace.ts';

/** How a folder with a package.json is built; undefined if it has none. */
export function fromNode(source: Source, folder: string): Outcome | undefined {
  const path = within(folder, 'package.json');
  if (!source.has(path)) return undefined;
  const manifest = manifestOf(source, folder);
  if (manifest === undefined)
    return refused('node', `${shown(path)} is not a JSON object, or larger than 256 kB: correct it.`);
  const workspace = workspaceOf(source, folder);
  const isRootOfOthers = workspace?.folder === folder && workspace.members.size > 0;
  const context = { project: projectOf(source, manifest), workspace, isRootOfOthers };
  const script = buildScriptOf(manifest);
  const buildsOthers = isRootOfOthers && (script === undefined || isForMembers(everythingOf(manifest, script)));
  const start = saidStart(context.project, isRootOfOthers);
  if (buildsOthers && start === undefined) return { ...noStart(manifest), monorepo: true };
  const outcome = ofBuilder(context, start) ?? ofServer(context, start) ?? ofFiles(context);
  if (outcome !== undefined) return outcome;
  return saysNothing(manifest) && source.has(within(folder, 'index.html')) ? undefined : noStart(manifest);
}

/** A name beside pages: nothing is built or started by it. */
function saysNothing({ packages, scripts }: Manifest): boolean {
  return packages.size === 0 && scripts.size === 0;
}

interface Context {
  project: Project;
  workspace: Workspace | undefined;
  isRootOfOthers: boolean;
}

const fits = (names: Iterable<string>, { packages }: Framework): boolean => {
  const known = new Set(names);
  return packages.some((name) => known.has(name));
};

function ofBuilder(context: Context, start: Start | undefined): Outcome | undefined {
  const { project } = context;
  const framework = builders.find((one) => fits(project.manifest.packages, one));
  if (framework === undefined) return undefined;
  const files = framework.site?.(project);
  // Its pages are part of a program that is started in production.
  if (files !== undefined && startsServer(project, start)) return undefined;
  if (files !== undefined) return siteOf(context, framework, publishedFolder(project) ?? files);
  const line = framework.start?.(project);
  const taken = start ?? (line === undefined ? undefined : { line, text: line, by: '' as const, signals: [] });
  return taken === undefined ? refusalOf(context, framework) : serverOf(context, framework, taken);
}

function startsServer({ manifest }: Project, start: Start | undefined): boolean {
  return /^node\s/.test(start?.text ?? '') && servers.some((one) => fits(manifest.dependencies, one));
}

function ofServer(context: Context, start: Start | undefined): Outcome | undefined {
  const { project } = context;
  const { manifest } = project;
  const framework = servers.find((one) => fits(manifest.dependencies, one));
  const said = framework === undefined && servesNobody(project, start) ? undefined : start;
  const bundles = bundlers.some((one) => fits(manifest.packages, one));
  const taken =
    said ?? (bundles && framework === undefined ? undefined : guessedStart(project, framework !== undefined));
  if (taken !== undefined) return serverOf(context, framework, taken);
  if (framework === undefined || bundles) return undefined;
  return refusalOf(context, framework);
}

/** A tool, or a program that serves the build's files, or shows them to who works on them. */
function servesNobody({ manifest }: Project, start: Start | undefined): boolean {
  if (start?.by === 'procfile') return false;
  if (manifest.packages.has('browser-sync') || manifest.said.bin !== undefined) return true;
  return /(?:^|[\s/&;])(?:serve|http-server|sirv|live-server)\s/.test(start?.text ?? '');
}

function ofFiles(context: Context): Outcome | undefined {
  const { project } = context;
  const { manifest, source, folder } = project;
  if (buildScriptOf(manifest) === undefined) return undefined;
  const framework = bundlers.find(
    (one) => fits(manifest.packages, one) || (one.command?.test(project.buildText) ?? false),
  );
  if (framework !== undefined) {
    return framework.refusal?.(project) === undefined
      ? siteOf(context, framework, framework.site?.(project) ?? 'dist')
      : refusalOf(context, framework);
  }
  const built = ['dist', 'build', 'public', '_site'].find((one) => source.has(within(folder, `${one}/index.html`)));
  const files = publishedFolder(project) ?? built;
  return files === undefined ? undefined : siteOf(context, undefined, files);
}

function siteOf(context: Context, framework: Framework | undefined, files: string): Outcome {
  const { manifest } = context.project;
  const script = buildScriptOf(manifest);
  if (script === undefined) {
    return refused('node', `${shown(manifest.path)} has no script "build": add the one that writes ${shown(files)}.`);
  }
  const { build, runner } = buildOf(context, framework, []);
  return site(build, runner.folder(files));
}

function serverOf(context: Context, framework: Framework | undefined, start: Start): Outcome {
  const { build, runner } = buildOf(context, framework, start.signals);
  const startCommand = start.script === undefined ? runner.line(start.line ?? '') : runner.run(start.script);
  if (/(?:^|\s)bun(?:x)?\s/.test(start.line ?? '') && !build.toolchain.some(({ name }) => name === 'bun')) {
    build.toolchain.push({ name: 'bun', version: '' });
  }
  const whole = { ...build, startIn: runner.below, told: { ...build.told, startCommand } };
  const kind = isStartedByAnother(context.project) ? 'server' : 'started';
  return server(whole, runner.here(start), portOf(context, framework, start), kind);
}

function buildOf({ project, workspace }: Context, framework: Framework | undefined, signals: readonly Signal[]) {
  const { source, folder, manifest } = project;
  const root = workspace?.folder ?? folder;
  const managed = managerOf(source, root, [manifest, workspace?.manifest]);
  const runner: Runner = runnerOf(manifest, workspace, managed.manager);
  const node = nodeVersionOf(source, [
    { folder, manifest },
    ...(root === folder ? [] : [{ folder: root, manifest: workspace?.manifest }]),
  ]);
  const demand = nodeDemandOf([manifest, workspace?.manifest]);
  const script = buildScriptOf(manifest);
  const command = runner.build(script);
  const manager = managed.manager.name;
  const told = {
    framework: framework?.name ?? '',
    packageManager: manager,
    packageManagerPinned: managed.pinned,
    nodeVersion: node?.version ?? '',
    installCommand: managed.installCommand,
    buildCommand: command,
    monorepo: workspace !== undefined && workspace.members.size > 0,
    signals: [
      ...(framework === undefined ? [] : [{ path: manifest.path, detail: `It is made with ${framework.name}` }]),
      ...managed.signals,
      ...(node === undefined ? [] : [{ path: node.path, detail: `It demands Node ${shown(node.version)}` }]),
      ...signals,
      ...longScripts(manifest).map((name) => ({
        path: manifest.path,
        detail: `scripts.${shown(name)} is too long to be read`,
      })),
    ],
  };
  const build = {
    provider: 'node' as const,
    directory: runner.directory,
    toolchain: [
      { name: 'node', version: node?.version ?? '', ...(demand === undefined ? {} : { demand }) },
      ...(manager === 'npm' ? [] : [{ name: manager, version: managed.pinned }]),
    ],
    steps: [
      { name: 'install', command: managed.installCommand, caches: [manager] },
      command === ''
        ? undefined
        : { name: 'build', command, caches: framework?.caches === undefined ? [] : [framework.name] },
    ],
    drop: (framework?.caches ?? []).map(runner.folder),
    environment: { NODE_ENV: 'production', ...managed.environment, ...framework?.environment },
    told,
  };
  return { build, runner };
}

function portOf({ project, workspace }: Context, framework: Framework | undefined, start: Start): Port {
  const { source, folder } = project;
  const root = workspace?.folder ?? folder;
  const demanded = portOfCommand(start.text, start.by === 'procfile' ? 'procfile' : 'script');
  if (demanded !== undefined) return demanded;
  const template = portOfTemplate(source, root === folder ? [folder] : [folder, root]);
  if (template !== undefined) return template;
  const entry = /\bnode\s+(?:--\S+\s+)*([\w@./-]+)/.exec(start.text)?.[1]?.replace(/^\.\//, '') ?? '';
  const named = entry.replace(/\.[cm]?[jt]s$/, '');
  const sources = [
    named,
    named.replace(/^(?:dist|build|lib|out)\//, 'src/'),
    `${named}/index`,
    'src/main',
    'src/index',
  ];
  const files = sources.flatMap((one) => ['js', 'ts', 'mjs', 'cjs'].map((kind) => within(folder, `${one}.${kind}`)));
  const ways = [
    /\bPORT\b["'\])]*\s*(?:\|\||\?\?|,)\s*["']?(\d{2,5})\b/,
    /\.listen\(\s{0,40}\{?\s{0,40}(?:port:\s{0,40})?(\d{2,5})\b/,
  ];
  const own = framework?.port === undefined || framework.port === 0 ? undefined : framework.port;
  return (
    (builders.some((one) => one === framework) ? undefined : portOfSource(source, files, ways)) ?? {
      port: own ?? 3000,
      portSource: own === undefined ? 'default' : 'framework',
    }
  );
}

function refusalOf({ project }: Context, framework: Framework): Outcome {
  const why = framework.refusal?.(project);
  const plain = noStart(project.manifest);
  return why === undefined ? plain : { ...plain, message: `${why} ${plain.message}` };
}

function noStart(manifest: Manifest): Extract<Outcome, { kind: 'refused' }> {
  const path = shown(manifest.path);
  const serving = ['start', 'dev', 'serve'].flatMap((name) => {
    const found = developmentOf(everythingOf(manifest, name));
    return found === undefined ? [] : [{ name, found }];
  })[0];
  const platform = serving?.found.platform;
  const because =
    serving === undefined
      ? ''
      : platform === undefined
        ? ` (its script "${serving.name}" starts ${serving.found.name}, which is for development)`
        : ` (its script "${serving.name}" runs ${serving.found.name}, which imitates ${platform})`;
  const message = `${path} has no script that starts it in production${because}: add a script "start", such as "node server.js".`;
  const signals =
    serving === undefined ? [] : [{ path: manifest.path, detail: `scripts.${serving.name}: ${serving.found.name}` }];
  return { kind: 'refused', provider: 'node', message, signals };
}
