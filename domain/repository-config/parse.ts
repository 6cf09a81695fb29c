import { serviceRules } from '../services/field-rules.ts';
import { builders } from '../services/settings.ts';
import { pathFault } from '../services/source-faults.ts';
import { mostFileBytes, readDocument, type Value } from './document.ts';
import { emptyEffective, type RepositoryConfigEffective } from './effective.ts';
import { beneath, type ConfigProblem, Problems, shown } from './problems.ts';
import { entriesOf, Fields } from './read-fields.ts';
import { readProcess } from './read-process.ts';
import { argumentFault, envFault } from './variables.ts';

interface ServiceSection {
  /** The slug of the service. */
  name: string;
  /** Empty: that of its source, or the whole repository. */
  context: string;
  effective: RepositoryConfigEffective;
}

/** A configuration file. With problems, nothing of it is used. */
export interface ParsedConfig {
  base: RepositoryConfigEffective;
  services: ServiceSection[];
  /** Templates of databases, which are listed alone. */
  databases: string[];
  problems: ConfigProblem[];
}

const baseKeys = [
  ...['builder', 'dockerfile', 'target', 'buildArgs', 'env', 'processes', 'releaseCommand'],
  ...['releaseCommandTimeoutSeconds', 'dependsOn', 'mounts'],
];
const most = { processes: 20, services: 50, databases: 20, env: 200, buildArgs: 100 };
/** Of processes, as protocol/workload.ts has it. */
const processName = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;
const slug = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function parseRepositoryConfig(text: string): ParsedConfig {
  const problems = new Problems();
  const root = readDocument(text, problems);
  const base = isNothing(root) ? undefined : root;
  const fields = new Fields(base, '', [...baseKeys, 'services', 'databases'], problems);
  const config = {
    base: readService(fields, problems),
    services: readServices(fields, problems),
    databases: fields.texts('databases', databasesFault, '[sqldb]'),
  };
  return { ...config, problems: problems.all() };
}

/** A file of comments alone says nothing. */
function isNothing(value: Value | undefined): boolean {
  return value?.kind === 'scalar' && value.value === null;
}

function readService(fields: Fields, problems: Problems): RepositoryConfigEffective {
  const [dockerfile, target] = (['dockerfile', 'target'] as const).map((key) =>
    fields.text(key, key === 'target' ? targetFault : (value) => pathFault(String(value))),
  ) as [string, string];
  const builder = fields.oneOf('builder', builders);
  if (builder === 'auto' && (dockerfile !== '' || target !== ''))
    fields.fault('builder', 'must be dockerfile, or left out, where the file names a Dockerfile or a target.');
  if (fields.has('mounts'))
    fields.fault(
      'mounts',
      'are not taken from the file yet: create the volume of the process in the console or by `ballast volume create`, and leave mounts out.',
    );
  const processes = readProcesses(fields, problems);
  const timeout = fields.number('releaseCommandTimeoutSeconds', serviceRules.releaseCommandTimeoutSeconds);
  return {
    ...emptyEffective,
    builder: builder === '' && (dockerfile !== '' || target !== '') ? 'dockerfile' : builder,
    ...{ dockerfile, target },
    buildArgs: fields.map('buildArgs', most.buildArgs, argumentFault),
    env: fields.map('env', most.env, envFault),
    dependsOn: fields.texts('dependsOn', dependsOnFault, '[api]'),
    releaseCommand: fields.texts('releaseCommand', serviceRules.releaseCommand, '[node, migrate.js]'),
    ...(timeout === undefined ? {} : { releaseCommandTimeoutSeconds: timeout }),
    hasProcesses: processes.length > 0,
    processes,
  };
}

function readProcesses(fields: Fields, problems: Problems) {
  const value = fields.value('processes');
  if (value === undefined) return [];
  const path = fields.path('processes');
  const entries = entriesOf(value, path, problems);
  if (entries.length === 0 && value.kind === 'map') fields.fault('processes', 'has no process: leave the key out.');
  if (entries.length > most.processes) fields.fault('processes', `has more than ${most.processes} processes.`);
  return entries.slice(0, most.processes).map(({ key, line, value: one }) => {
    const at = beneath(path, key);
    if (!processName.test(key))
      problems.add(line, at, 'must be a name of 1 to 40 lower case letters, digits and hyphens, a letter first.');
    return readProcess(key, one, at, problems);
  });
}

function readServices(fields: Fields, problems: Problems): ServiceSection[] {
  const value = fields.value('services');
  if (value === undefined) return [];
  const entries = entriesOf(value, 'services', problems);
  if (entries.length > most.services) fields.fault('services', `has more than ${most.services} services.`);
  return entries.slice(0, most.services).map(({ key, line, value: one }) => {
    const at = beneath('services', key);
    if (!slug.test(key))
      problems.add(line, at, 'must be the slug of a service: lower case letters, digits and hyphens.');
    const own = new Fields(one, at, [...baseKeys, 'context'], problems);
    const context = own.text('context', (text) => pathFault(String(text)));
    return { name: key, context, effective: readService(own, problems) };
  });
}

function targetFault(value: unknown): string | undefined {
  return /^[\w.-]{1,200}$/.test(String(value)) ? undefined : 'must be the name of a stage of the Dockerfile';
}

function dependsOnFault(value: unknown): string | undefined {
  const fault = serviceRules.dependsOn(value);
  if (fault !== undefined) return fault;
  const slugs = value as string[];
  const twice = slugs.find((one, index) => slugs.indexOf(one) < index);
  return twice === undefined ? undefined : `has ${twice} more than once`;
}

function databasesFault(value: unknown): string | undefined {
  const names = value as string[];
  if (names.length > most.databases) return `has more than ${most.databases} entries`;
  return names.every((one) => slug.test(one)) ? undefined : 'must be a list of names of templates, such as [sqldb]';
}

export type ConfigStatus = 'ok' | 'absent' | 'invalid';

export interface ReadConfig {
  status: ConfigStatus;
  path: string;
  /** A sentence: the fault, and the remedy; empty where there is none. */
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
