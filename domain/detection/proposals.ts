import { requiredIn, templateOf } from '../env-template/parse.ts';
import { mostFileBytes } from '../repository-config/document.ts';
import { configPaths } from '../repository-config/overlay.ts';
import { readConfig } from '../repository-config/parse.ts';
import { shown } from './build-plan.ts';
import type { Proposal, Signal } from './detected-build.ts';
import type { Outcome } from './outcome.ts';
import { linesOf } from './procfile.ts';
import { kept, type Source, within } from './source.ts';

type Built = Exclude<Outcome, { kind: 'refused' }>;

const most = { proposals: 8, variables: 40 };
/** Longer ones are not shown, and so are no proposal either. */
const longest = { line: 500, name: 100 };
const processName = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * An application with what its source says of how it is run besides its start: variables that its template asks for, a release command,
 * further processes. What the configuration file gives is left out, and nothing of the rest happens by itself.
 */
export function withProposals(source: Source, folder: string, built: Built): Built {
  const file = givenBy(source, folder);
  const template = templateOf(folder, (path) => source.has(path)) ?? '';
  const given = (name: string) => Object.hasOwn(built.plan.environment, name) || file.variables.has(name);
  const variables = template === '' ? [] : requiredOf(source, template);
  const detected = {
    ...built.detected,
    envTemplate: template,
    requiredVariables: variables.filter((name) => !given(name) && name.length <= longest.name).slice(0, most.variables),
  };
  // Pages are served by a program of ours, whose image has no other.
  if (built.kind === 'site') return { ...built, detected };
  const found = linesOfSource(source, folder, built)
    .filter(({ name, line }) => !file.commands.has(name) && line.length <= longest.line)
    .slice(0, most.proposals)
    .map((one) => ({ ...one, run: (built.asRun ?? ((line) => line))(one.line) }));
  const proposed = found.flatMap(({ name, line, run }): Proposal[] =>
    run === undefined ? [] : [{ name, line, command: [] }],
  );
  return {
    ...built,
    detected: { ...detected, proposed, signals: [...detected.signals, ...found.map(told)] },
    plan: {
      ...built.plan,
      proposed: found.flatMap(({ name, run }) => (run === undefined ? [] : [{ name, line: run }])),
    },
  };
}

interface Line {
  name: string;
  line: string;
  path: string;
}

/** The release command first: that of the Procfile, or else of the framework. */
function linesOfSource(source: Source, folder: string, { release: own }: Built): Line[] {
  const path = within(folder, 'Procfile');
  const lines = [...linesOf(source, folder)].flatMap(([said, line]): Line[] => {
    const name = said.toLowerCase().replaceAll('_', '-');
    return name === 'web' || !processName.test(name) ? [] : [{ name, line, path }];
  });
  const release = lines.find(({ name }) => name === 'release') ?? (own && { name: 'release', ...own });
  return [...(release === undefined ? [] : [release]), ...lines.filter(({ name }) => name !== 'release')];
}

function told({ name, line, path, run }: Line & { run: string | undefined }): Signal {
  if (run === undefined)
    return { path, detail: `${name} starts another program, which is not in the image: ${shown(line)}` };
  if (name === 'release') return { path, detail: `A release command is proposed: ${shown(line)}` };
  return { path, detail: `A process is proposed: ${name}: ${shown(line)}` };
}

interface KnownSettings {
  variables: ReadonlySet<string>;
  /** Processes, and `release`. */
  commands: ReadonlySet<string>;
}

/** The part of it that the configuration file gives to any of its services; nothing of a file that cannot be used. */
function givenBy(source: Source, folder: string): KnownSettings {
  const [path, beside] = configPaths(folder, source.has);
  return path === undefined || beside !== undefined
    ? { variables: new Set(), commands: new Set() }
    : givenIn(source, path);
}

const givenIn = kept((source: Source, path: string): KnownSettings => {
  const text = source.text(path);
  const { config, status } = readConfig([path], () => (text.length > mostFileBytes ? undefined : text));
  const all =
    config === undefined || status !== 'ok' ? [] : [config.base, ...config.services.map(({ effective }) => effective)];
  return {
    variables: new Set(all.flatMap(({ env }) => Object.keys(env))),
    commands: new Set(
      all.flatMap(({ processes, releaseCommand }) => [
        ...processes.map(({ name }) => name),
        ...(releaseCommand.length > 0 ? ['release'] : []),
      ]),
    ),
  };
});

const requiredOf = kept((source: Source, path: string): string[] => requiredIn(source.text(path)));
