import { createHmac } from 'node:crypto';
import type { BuildPlan, Tool } from '../../../../domain/detection/build-plan.ts';
import { quoted } from '../../caches.ts';
import { isSpecial } from '../../image/start.ts';
import type { ProposedCommands } from '../../image/write-image.ts';
import { proxyVariables } from '../../sandbox/network.ts';
import { runStep } from '../../steps.ts';
import { fetchedTools } from '../../tools/toolbox.ts';
import { type BaseImages, type BaseName, baseImage } from './base-images.ts';
import type { Certificates } from './certificates.ts';

/** Folder of the context with the source; what is ours stands beside it. */
export const sourceFolder = 'source';
export const serverFolder = 'server';
/** The secret that holds the variables of commands. */
export const variablesSecret = 'ballast-variables';

/** Before the name of a step in its script: the log says that, and not how it is run. */
export const stepMark = '# ballast: ';

interface GeneratedParts {
  bases: BaseImages;
  /** Of the service in its environment: others do not share its caches. */
  cacheKey: string;
  cacheSecret: string;
  /** Of every command; in no layer. */
  variables: Readonly<Record<string, string>>;
  certificates: Certificates;
  server: string;
}

const caches = ['node_modules/.cache', '.next/cache'];
const variablesAt = '/run/ballast/variables';
/** Debian's image for systems has none, so that no program in it could call https; one of the operator's own is as they want it. */
const authorities = '/etc/ssl/certs/ca-certificates.crt';
const gather = `mkdir -p /authorities && if [ -f ${authorities} ]; then cp ${authorities} /authorities/; fi`;

/** The Dockerfile of a source that has none: tools, the steps of its plan, and an image of what the plan keeps. */
export async function generatedDockerfile(plan: BuildPlan, given: GeneratedParts): Promise<string> {
  const built = plan.steps.length > 0;
  const final = plan.kind === 'static' ? pages(plan, given, built) : program(plan, given);
  return `${[...(built ? await stages(plan, given) : []), ...final].join('\n')}\n`;
}

async function stages(plan: BuildPlan, given: GeneratedParts): Promise<string[]> {
  const lines = [
    `FROM ${builtIn(plan, given)} AS tools`,
    ...toolsOf(plan, given),
    '',
    'FROM tools AS build',
    'ENV CI=true',
  ];
  lines.push(`COPY ${sourceFolder}/ /app/`, `WORKDIR /app/${plan.directory}`);
  // Values of secrets are no part of BuildKit's cache: without this a changed one would build nothing anew.
  const stamp = createHmac('sha256', given.cacheSecret)
    .update(JSON.stringify(given.variables))
    .digest('hex')
    .slice(0, 16);
  for (const step of plan.steps) {
    // Variables count before what the plan sets, and not before what leads to a cache.
    await runStep(step, plan, {}, async (command, environment) => {
      const own = Object.entries(environment).filter(([name]) => !Object.hasOwn(plan.environment, name));
      const set = [...before(plan, given), `. ${variablesAt}`, ...exports(own)];
      const script = [
        `${stepMark}${step.name}: ${step.command.replace(/\s+/g, ' ')}`,
        'set -e',
        `: ${stamp}`,
        ...set,
        `(\n${command}\n)`,
      ].join('\n');
      lines.push(run(script, plan, given, step.caches));
    });
  }
  const dropped = [...plan.drop.filter((path) => path !== '.git'), ...caches];
  lines.push(`RUN ${JSON.stringify(['rm', '-rf', '--', ...dropped])}`);
  if (bringsAuthorities(plan, given)) lines.push(`RUN ${JSON.stringify(['/bin/sh', '-c', gather])}`);
  return [...lines, ''];
}

function exports(entries: readonly (readonly [string, string])[]): string[] {
  return entries.map(([name, value]) => `export ${name}=${quoted(value)}`);
}

/** The plan's own variables; those of the service and of the agent count more. */
function before(plan: BuildPlan, { certificates }: GeneratedParts): string[] {
  const trust = certificates.variables(hasJava(plan));
  const options = [trust.JAVA_TOOL_OPTIONS ?? '', proxyVariables.JAVA_TOOL_OPTIONS].join(' ').trim();
  const java = hasJava(plan) ? { JAVA_TOOL_OPTIONS: options } : {};
  return exports(Object.entries({ ...trust, ...java, ...plan.environment }));
}

function hasJava({ toolchain }: BuildPlan): boolean {
  return toolchain.some(({ name }) => name === 'java');
}

/** Words of JSON are passed on as they are, whatever is in them. */
function run(script: string, plan: BuildPlan, given: GeneratedParts, names: readonly string[]): string {
  const { cacheKey, cacheSecret, certificates } = given;
  const mounts = names.map((name) => {
    const id = createHmac('sha256', cacheSecret).update(`${cacheKey}\0${name}`).digest('hex').slice(0, 32);
    return `--mount=type=cache,id=${id},target=/cache/${name},sharing=locked`;
  });
  mounts.push(`--mount=type=secret,id=${variablesSecret},target=${variablesAt}`, ...certificates.mounts(hasJava(plan)));
  return `RUN ${mounts.join(' ')} ${JSON.stringify(['/bin/sh', '-c', script])}`;
}

function versionOf(plan: BuildPlan, name: string): string {
  return plan.toolchain.find((tool) => tool.name === name)?.version ?? '';
}

/** Languages with an image of their own, beside which Node is brought. */
const others = [
  'python',
  'go',
  'rust',
  'java',
  'php',
  'ruby',
  'elixir',
  'deno',
  'dotnet',
] as const satisfies BaseName[];

function builtIn(plan: BuildPlan, { bases }: GeneratedParts): string {
  const has = (name: string) => plan.toolchain.some((tool) => tool.name === name);
  const java = versionOf(plan, 'java');
  // It brings Node itself, for another C library than that of the image for Node.
  if (has('hugo')) return baseImage('hugo', versionOf(plan, 'hugo'), bases);
  if (has('maven')) return baseImage('maven', java, bases);
  if (has('gradle')) return baseImage('gradle', java, bases);
  const found = others.find(has) ?? 'node';
  return baseImage(found, versionOf(plan, found), bases);
}

/** Package managers that the image does not have, and Node beside another language. */
function toolsOf(plan: BuildPlan, given: GeneratedParts): string[] {
  const isOther = plan.toolchain.some(({ name }) => others.some((one) => one === name));
  const needsNode = plan.toolchain.some(({ name }) => name === 'node' || name in fetchedTools);
  const lines: string[] = plan.toolchain.some(({ name }) => name === 'hugo') ? ['USER 0'] : [];
  if (isOther && needsNode) {
    const node = baseImage('node', versionOf(plan, 'node'), given.bases);
    for (const part of ['bin', 'lib']) lines.push(`COPY --from=${node} /usr/local/${part} /usr/local/${part}`);
  }
  for (const { name, version, extensions } of plan.toolchain) {
    const tool = fetchedTools[name];
    const script = (install: string) => ['set -e', ...before(plan, given), `. ${variablesAt}`, install].join('\n');
    if (name === 'php') lines.push(run(script(phpSetup(extensions)), plan, given, []));
    if (name === 'composer')
      lines.push(`COPY --from=${baseImage('composer', '', given.bases)} /usr/bin/composer /usr/local/bin/composer`);
    if (tool !== undefined && (name !== 'npm' || version !== '')) {
      const wanted = version === '' ? tool.version : version;
      const called = name === 'bun' ? 'bun' : tool.package(wanted);
      const install = `npm install --global --force --no-audit --no-fund --loglevel=error ${quoted(`${called}@${wanted}`)}`;
      lines.push(run(script(`export npm_config_cache=/cache/npm\n${install}`), plan, given, ['npm']));
    }
    if (['pipenv', 'poetry', 'uv'].includes(name))
      lines.push(run(script(`export PIP_CACHE_DIR=/cache/pip\npip install ${name}`), plan, given, ['pip']));
  }
  return lines;
}

/**
 * Extensions by the installer of the image; Composer unpacks by `zip`. The server's file has a capability, without which an instance that has none
 * could not start it: a copy has none.
 */
function phpSetup(extensions: Tool['extensions']): string {
  const names = [...new Set([...(extensions?.demanded ?? []), ...(extensions?.suggested ?? []), 'opcache', 'zip'])];
  const server = '/usr/local/bin/frankenphp';
  return [
    `install-php-extensions ${names.toSorted().join(' ')}`,
    `cp ${server} ${server}.plain`,
    `mv ${server}.plain ${server}`,
  ].join('\n');
}

function program(plan: BuildPlan, given: GeneratedParts): string[] {
  const base = isCompiled(plan)
    ? baseImage('system', '', given.bases)
    : plan.steps.length > 0
      ? 'tools'
      : builtIn(plan, given);
  // Where nothing is built, no stage before has them.
  const tools = plan.steps.length > 0 || plan.provider !== 'php' ? [] : toolsOf(plan, given);
  const from = plan.steps.length > 0 ? `--from=build /app/${plan.directory}` : `${sourceFolder}/${plan.directory}`;
  const environment = { ...(needsNode(plan) && { NODE_ENV: 'production' }), ...plan.environment };
  return [
    `FROM ${base}`,
    ...tools,
    'WORKDIR /app',
    ...(bringsAuthorities(plan, given) ? ['COPY --from=build /authorities/ /etc/ssl/certs/'] : []),
    ...plan.keep.map((path) => copied(from, path, '/app')),
    ...settings(environment, plan.port),
    // That of a base image may be its language's own program.
    'ENTRYPOINT []',
    `CMD ${JSON.stringify(['/bin/sh', '-c', startOf(plan)])}`,
  ];
}

function isCompiled({ provider }: BuildPlan): boolean {
  return provider === 'go' || provider === 'rust';
}

function bringsAuthorities(plan: BuildPlan, { bases }: GeneratedParts): boolean {
  return isCompiled(plan) && plan.steps.length > 0 && bases.system === undefined;
}

function needsNode({ provider, toolchain }: BuildPlan): boolean {
  return provider === 'node' || toolchain.some(({ name }) => name === 'node');
}

/** Pages are served by the same program as where there is no engine. */
function pages(plan: BuildPlan, given: GeneratedParts, built: boolean): string[] {
  const from = built ? `--from=build /app/${plan.directory}` : `${sourceFolder}/${plan.directory}`;
  return [
    `FROM ${baseImage('node', '', given.bases)}`,
    'WORKDIR /app',
    `COPY ${serverFolder}/${given.server} /app/${given.server}`,
    ...plan.keep.map((path) => copied(from, path, '/app/public', true)),
    ...settings(plan.environment, plan.port),
    'ENTRYPOINT []',
    `CMD ${JSON.stringify(['node', given.server, 'public'])}`,
  ];
}

/** Of a folder its content is copied: `.` is all of it. */
function copied(from: string, path: string, to: string, isFolder = path === '.' || path === ''): string {
  const below = path === '.' ? '' : path;
  const words = from.split(' ');
  const place = `${words.pop()}/${below}`.replace(/\/+/g, '/').replace(/\/$/, '');
  return [
    'COPY',
    ...words,
    JSON.stringify([isFolder ? `${place}/` : place, isFolder ? `${to}/` : `${to}/${below}`]),
  ].join(' ');
}

function settings(environment: Readonly<Record<string, string>>, port: number): string[] {
  const set = Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = set.map(([name, value]) => `ENV ${name}="${value.replace(/[\\"$]/g, '\\$&')}"`);
  return port > 0 ? [...lines, `EXPOSE ${port}`] : lines;
}

/** The commands of what is proposed, in place of that. A line that needs no shell has none, which an image of a Dockerfile may lack. */
export function commandsOf({ proposed, startIn }: BuildPlan): ProposedCommands {
  const wordsOf = (line: string): string[] =>
    startIn === '' && !isSpecial.test(line) ? line.split(/\s+/) : ['/bin/sh', '-c', startOf({ start: line, startIn })];
  return new Map(proposed.map(({ name, line }) => [name, wordsOf(line)]));
}

/** A single command replaces the shell, so that it hears when it is to stop. */
function startOf({ start, startIn }: Pick<BuildPlan, 'start' | 'startIn'>): string {
  const there = startIn === '' ? '' : `cd ${quoted(startIn)} && `;
  return /[;&|\n(){}]/.test(start) || /^\w+=/.test(start) ? `${there}${start}` : `${there}exec ${start}`;
}

/** A file for a shell. */
export function variablesFile(variables: Readonly<Record<string, string>>): string {
  return exports(Object.entries(variables))
    .map((line) => `${line}\n`)
    .join('');
}
