import { applicationsBelow } from './applications.ts';
import type { BuildPlan } from './build-plan.ts';
import { shown } from './build-plan.ts';
import type { DetectedBuild } from './detected-build.ts';
import { outcomeOf } from './folder.ts';
import { nothingDetected, type Outcome } from './outcome.ts';
import { readSource, type Source } from './source.ts';
import type { SourceTree } from './tree.ts';

type Refusal = Extract<Outcome, { kind: 'refused' }>;

export interface Detection {
  detected: DetectedBuild;
  /** Undefined where nothing can be built. */
  plan: BuildPlan | undefined;
  /** Why it cannot be built, and what to do; '' if it can. */
  message: string;
}

/** The nature of a source, and how it is built and started from a folder of it. */
export function detect(tree: SourceTree, context = ''): Detection {
  const folder = folderOf(context);
  if (folder === undefined) {
    return notBuildable(
      `The context ${shown(context)} is no folder of the source: write it without ".." and "/" at its beginning.`,
    );
  }
  const source = readSource(tree);
  if (folder !== '' && source.files(folder).length === 0 && source.folders(folder).length === 0) {
    return notBuildable(`The source has no folder ${shown(folder)}: change the context, or add it.`);
  }
  const outcome = outcomeOf(source, folder);
  if (outcome !== undefined && outcome.kind !== 'refused') return built(outcome);
  return below(source, folder, outcome);
}

/** A source as a builder sees it that has no engine for Dockerfiles. */
export function withoutDockerfiles(tree: SourceTree): SourceTree {
  return { paths: tree.paths, text: (path) => tree.text(path), buildsDockerfiles: false };
}

/** One application in the folders below is what was meant; of several a person has to choose. */
function below(source: Source, folder: string, refusal: Refusal | undefined): Detection {
  const all = applicationsBelow(source, folder);
  const found = all.flatMap(({ folder: at, outcome }) => (outcome.kind === 'refused' ? [] : [{ at, outcome }]));
  const choices = [...new Set([...(refusal?.choices ?? []), ...found.map(({ at }) => at)])];
  // A folder that is something itself is not what an application below it is.
  const isFrame = refusal === undefined || refusal.monorepo === true;
  const [only] = found;
  if (only !== undefined && choices.length === 1 && isFrame) {
    const { detected, plan, message } = built(only.outcome);
    const signal = { path: only.at, detail: 'The only application in the source' };
    return { detected: { ...detected, monorepo: true, signals: [signal, ...detected.signals] }, plan, message };
  }
  const signals = [...(refusal?.signals ?? []), ...found.slice(0, 20).map(({ at, outcome }) => told(at, outcome))];
  if (choices.length > 0) {
    const first = isFrame ? '' : `${refusal.message} `;
    return notBuildable(`${first}${chooseOf(choices)}`, refusal?.provider ?? '', signals, true);
  }
  const inner = all.flatMap(({ outcome }) => (outcome.kind === 'refused' ? [outcome] : []))[0];
  const reason = isFrame ? (inner ?? refusal) : refusal;
  const message =
    reason?.message ??
    'Nothing that can be built was found: a package.json, requirements.txt, pyproject.toml, composer.json, Gemfile, go.mod, Cargo.toml, mix.exs, deno.json, pom.xml, build.gradle, a project of .NET, index.html or Dockerfile is needed.';
  return notBuildable(message, reason?.provider ?? '', signals, refusal?.monorepo ?? false);
}

function chooseOf(choices: readonly string[]): string {
  const listed = choices.slice(0, 12).map(shown);
  const more = choices.length > listed.length ? ` and ${choices.length - listed.length} more` : '';
  if (choices.length === 1)
    return `Below it is the application ${listed[0]}: choose it as the context (--context ${listed[0]}).`;
  return `The source has ${choices.length} applications: choose one as the context (--context DIR): ${listed.join(', ')}${more}.`;
}

function told(path: string, outcome: Exclude<Outcome, { kind: 'refused' }>): { path: string; detail: string } {
  const { provider, framework } = outcome.detected;
  return { path, detail: `An application: ${framework === '' ? provider : `${provider}, ${framework}`}` };
}

function built({ detected, plan }: Exclude<Outcome, { kind: 'refused' }>): Detection {
  return { detected, plan, message: '' };
}

function notBuildable(
  message: string,
  provider = '',
  signals: DetectedBuild['signals'] = [],
  monorepo = false,
): Detection {
  return { detected: { ...nothingDetected, provider, monorepo, signals }, plan: undefined, message };
}

/** Without `./`, doubled and trailing slashes; undefined if it leads out of the source. */
function folderOf(context: string): string | undefined {
  const parts = context.split('/').filter((part) => part !== '' && part !== '.');
  return context.startsWith('/') || parts.includes('..') ? undefined : parts.join('/');
}
