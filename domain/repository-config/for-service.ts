import { emptyEffective, type RepositoryConfigEffective } from './effective.ts';
import type { ParsedConfig } from './parse.ts';

/** One name, and a second for those who end their YAML so. Two in one folder are a problem. */
export const configNames = ['ballast.yaml', 'ballast.yml'] as const;

/** Where a file is looked for: the folder of the service first, then the root. The first folder that has one counts alone. */
export function configFolders(context: string): string[] {
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
