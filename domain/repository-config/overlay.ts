import { changedProcess, newProcess } from '../services/process-faults.ts';
import { defaultProcess, type PlacedProcess, type ReleaseContent, type ServiceSettings } from '../services/settings.ts';
import { emptyEffective, type FileProcess, type FrozenConfig, type RepositoryConfigEffective } from './effective.ts';
import type { ParsedConfig } from './parse.ts';
import { changesOf } from './summary.ts';

/**
 * The settings with what a file says over them. A process is found by its name; one that the settings do not have is new. How many
 * replicas run of the others people decide.
 */
export function withFile(settings: ServiceSettings, file: FrozenConfig | undefined): ServiceSettings {
  if (file === undefined) return settings;
  const { processes, releaseCommand, releaseCommandTimeoutSeconds, dependsOn } = file.effective;
  const ids = new Map(Object.entries(settings.processes).map(([id, { name }]) => [name, id]));
  const own = processes.map((process) => {
    const id = ids.get(process.name);
    const before = id === undefined ? undefined : settings.processes[id];
    return [id ?? `file:${process.name}`, placed(process, before)] as const;
  });
  return {
    ...settings,
    ...(releaseCommand.length === 0 ? {} : { releaseCommand }),
    ...(releaseCommandTimeoutSeconds === undefined ? {} : { releaseCommandTimeoutSeconds }),
    dependsOn: [...new Set([...settings.dependsOn, ...dependsOn])],
    processes: { ...settings.processes, ...Object.fromEntries(own) },
  };
}

/** A release as it runs: its file is part of its settings, and the variables of the file lie beneath its own. */
export function effectiveContent(content: ReleaseContent): ReleaseContent {
  const { file, ...rest } = content;
  if (file === undefined) return content;
  return {
    ...rest,
    settings: withFile(content.settings, file),
    variables: { ...file.effective.env, ...content.variables },
  };
}

function placed(process: FileProcess, before: PlacedProcess | undefined): PlacedProcess {
  const { name, replicas = 1 } = process;
  const changes = changesOf(process);
  if (before === undefined) return { ...newProcess({ ...changes, replicas }), name };
  // A program that is named alone does not get the arguments that were meant for another one.
  const alone = process.entrypoint.length > 0 && process.cmd.length === 0 ? { args: [] } : {};
  const changed = { ...before, ...changedProcess(before, { ...changes, ...alone }), name };
  if (process.kind === '' || process.kind === before.kind) return changed;
  // Settings that the other kind of process had alone.
  const listens = process.kind === 'http' || process.kind === 'tcp';
  const { port = defaultProcess.port } = changed;
  return { ...changed, schedule: process.schedule, ...(listens && port !== undefined ? { port } : {}) };
}

/** One name, and a second for those who end their YAML so. Two in one folder are a problem. */
export const configNames = ['ballast.yaml', 'ballast.yml'] as const;

/** Where a file is looked for: the folder of the service first, then the root. The first folder that has one counts alone. */
function configFolders(context: string): string[] {
  const folder = context
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  return folder === '' ? [''] : [folder, ''];
}

/** The paths of the folder that has a file, of those that are there; none: there is no file. */
export function configPaths(context: string, isThere: (path: string) => boolean): string[] {
  for (const folder of configFolders(context)) {
    const paths = configNames.map((name) => (folder === '' ? name : `${folder}/${name}`)).filter(isThere);
    if (paths.length > 0) return paths;
  }
  return [];
}

/**
 * The part of a file that is of one service: the keys at its top, and instead of each of these the key of the service's own section. Of
 * `env` and `buildArgs` each entry is a key of its own.
 */
export function configFor(
  { base, services }: Pick<ParsedConfig, 'base' | 'services'>,
  slug: string,
): { effective: RepositoryConfigEffective; context: string } {
  const section = services.find(({ name }) => name === slug);
  if (section === undefined) return { effective: base, context: '' };
  const { effective: own, context } = section;
  // A section that builds without a Dockerfile does not have that of the others.
  const others = own.builder === 'auto' ? emptyEffective : base;
  const timeout = own.releaseCommandTimeoutSeconds ?? base.releaseCommandTimeoutSeconds;
  return {
    context,
    effective: {
      builder: own.builder === '' ? base.builder : own.builder,
      dockerfile: own.dockerfile === '' ? others.dockerfile : own.dockerfile,
      target: own.target === '' ? others.target : own.target,
      buildArgs: { ...base.buildArgs, ...own.buildArgs },
      env: { ...base.env, ...own.env },
      dependsOn: own.dependsOn.length > 0 ? own.dependsOn : base.dependsOn.filter((one) => one !== slug),
      releaseCommand: own.releaseCommand.length > 0 ? own.releaseCommand : base.releaseCommand,
      ...(timeout === undefined ? {} : { releaseCommandTimeoutSeconds: timeout }),
      hasProcesses: own.hasProcesses || base.hasProcesses,
      processes: own.hasProcesses ? own.processes : base.processes,
      mounts: [],
    },
  };
}
