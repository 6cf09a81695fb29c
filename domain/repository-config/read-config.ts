import { mostFileBytes } from './document.ts';
import { type ParsedConfig, parseRepositoryConfig } from './parse.ts';
import { type ConfigProblem, shown } from './problems.ts';

export type ConfigStatus = 'ok' | 'absent' | 'invalid';

export interface ReadConfig {
  status: ConfigStatus;
  path: string;
  /** What is wrong, and what to do; empty where nothing is. */
  message: string;
  problems: ConfigProblem[];
  /** Absent, or with problems: nothing of it counts. */
  config: ParsedConfig | undefined;
}

/** Reads the file of a source. `paths`: those of `configPaths`; `text`: of a path, undefined if it is too large. */
export function readConfig(paths: readonly string[], text: (path: string) => string | undefined): ReadConfig {
  const [path, other] = paths;
  if (path === undefined) return { status: 'absent', path: '', message: '', problems: [], config: undefined };
  const invalid = (problems: ConfigProblem[], config?: ParsedConfig): ReadConfig => {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    const where = first === undefined || first.line === 0 ? '' : ` at line ${first.line}`;
    const key = first === undefined || first.path === '' ? '' : `${first.path}: `;
    const message = `${shown(path)} cannot be used${where}: ${key}${first?.message ?? ''}${more} Correct the file, then push it.`;
    return { status: 'invalid', path, message, problems, config };
  };
  if (other !== undefined)
    return invalid([{ line: 0, path: '', message: `${shown(other)} is beside it: keep one of the two.` }]);
  const content = text(path);
  if (content === undefined)
    return invalid([
      { line: 0, path: '', message: `The file is no text, or larger than ${mostFileBytes / 1_024} KiB.` },
    ]);
  const config = parseRepositoryConfig(content);
  return config.problems.length > 0
    ? invalid(config.problems, config)
    : { status: 'ok', path, message: listedAlone(config), problems: [], config };
}

function listedAlone({ databases }: ParsedConfig): string {
  return databases.length === 0
    ? ''
    : 'Databases of the file are listed and not created: create those that the services need yourself.';
}
