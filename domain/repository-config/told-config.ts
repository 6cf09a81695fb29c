import type { FrozenConfig, RepositoryConfigEffective } from './effective.ts';
import { configFor } from './overlay.ts';
import { type ConfigStatus, readConfig } from './parse.ts';
import type { ConfigProblem } from './problems.ts';
import { summaryOf } from './summary.ts';

/** The file of a build's source, as the row of the build has it. */
export interface ToldConfig {
  status: ConfigStatus;
  source: 'git' | 'upload' | '';
  path: string;
  summary: string;
  problems: ConfigProblem[];
  /** Of its service; absent unless the status is `ok`. */
  effective?: RepositoryConfigEffective;
}

/** A file as an agent found it. Without a path there is none; without a text it could not be read as one. */
export interface FoundFile {
  path: string;
  text?: string | undefined;
  /** A second file beside it. */
  beside?: string | undefined;
}

export function toldConfig(
  { path, text, beside }: FoundFile,
  { slug, source }: { slug: string; source: 'git' | 'upload' },
): ToldConfig {
  const paths = path === '' ? [] : [path, ...(beside === undefined ? [] : [beside])];
  const { status, message, problems, config } = readConfig(paths, () => text);
  if (status === 'absent')
    return absentConfig('The source has no configuration file: settings are those of the service.');
  const { effective } = status === 'ok' && config !== undefined ? configFor(config, slug) : { effective: undefined };
  const summary =
    effective === undefined ? message : [summaryOf(effective), message].filter((one) => one !== '').join(' ');
  return { status, source, path, summary, problems, ...(effective === undefined ? {} : { effective }) };
}

export function absentConfig(summary: string): ToldConfig {
  return { status: 'absent', source: '', path: '', summary, problems: [] };
}

/** What a release freezes of it. */
export function frozenConfig(told: ToldConfig | null, commit: string): FrozenConfig | undefined {
  return told?.effective === undefined ? undefined : { path: told.path, commit, effective: told.effective };
}
