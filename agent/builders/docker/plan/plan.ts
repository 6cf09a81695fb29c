import { readFileSync } from 'node:fs';
import { isOfSandbox } from '../../../../domain/builds/variables.ts';
import { detect } from '../../../../domain/detection/detect.ts';
import type { BuildProgress } from '../../../../protocol/build.ts';
import { Refusal } from '../../../program/refusal.ts';
import { bounded, toldOf, withCommands } from '../../build.ts';
import type { BuildLog } from '../../build-log.ts';
import { proxyVariables } from '../../sandbox/network.ts';
import { diskTree } from '../../source/disk-tree.ts';
import type { ConfiguredBody } from '../../source/repository-config.ts';
import { serverProgram } from '../../static/server-program.ts';
import type { BaseImages } from './base-images.ts';
import { certificatesOf } from './certificates.ts';
import { type Added, contextFolder, readDockerfile } from './dockerfile.ts';
import {
  commandsOf,
  generatedDockerfile,
  serverFolder,
  sourceFolder,
  variablesFile,
  variablesSecret,
} from './generated.ts';

/** What BuildKit is asked to build. */
export interface EnginePlan {
  folder: string;
  dockerfile: string;
  target: string;
  args: Readonly<Record<string, string>>;
  secrets: Readonly<Record<string, string | Buffer>>;
  below?: string;
  added?: readonly Added[];
}

interface PlanParts {
  bases: BaseImages;
  cacheSecret: string;
  environment: Readonly<Record<string, string>>;
  caFile: string | undefined;
  log: BuildLog;
  mask(text: string): string;
  tell(progress: BuildProgress): void;
}

export async function planOf(body: ConfiguredBody, source: string, given: PlanParts): Promise<EnginePlan> {
  if (body.builder === 'dockerfile') return ofDockerfile(body, contextFolder(source, body.context), given);
  const { detected, plan, message } = detect(diskTree(source), body.context);
  const found = plan === undefined ? detected : withCommands(detected, commandsOf(plan));
  given.tell({ detection: bounded(found, given.mask), ...(plan === undefined ? {} : { kind: plan.kind }) });
  for (const line of toldOf(detected)) given.log.say(line);
  if (plan === undefined) throw new Refusal(message);
  if (plan.provider === 'dockerfile')
    return ofDockerfile({ ...body, dockerfile: '' }, contextFolder(source, plan.directory), given);
  if (Object.keys(body.buildArgs).length > 0)
    throw new Refusal(
      'The configuration file has buildArgs, and there is no Dockerfile that takes them: leave them out, or add one.',
    );
  const certificates = certificatesOf(given.caFile);
  const server = serverProgram();
  const { cacheKey } = body;
  const { bases, cacheSecret } = given;
  const ofService = Object.entries(body.variables ?? {}).filter(([name]) => !isOfSandbox(name));
  const { JAVA_TOOL_OPTIONS: _, ...proxies } = proxyVariables;
  const variables = { ...Object.fromEntries(ofService), ...given.environment, ...proxies };
  const own = { bases, cacheKey, cacheSecret, variables, certificates };
  const text = await generatedDockerfile(plan, { ...own, server: server.name });
  for (const line of text.trimEnd().split('\n')) given.log.say(`  ${line}`);
  const isStatic = plan.kind === 'static';
  return {
    folder: contextFolder(source, ''),
    below: sourceFolder,
    dockerfile: 'Dockerfile',
    target: '',
    args: {},
    secrets: { ...certificates.secrets, [variablesSecret]: variablesFile(variables) },
    added: [
      { name: 'Dockerfile', content: Buffer.from(text) },
      ...(isStatic ? [{ name: `${serverFolder}/${server.name}`, content: readFileSync(server.path) }] : []),
    ],
  };
}

/** Variables are there for what the Dockerfile declares; secrets are mounted, and never in a layer. */
function ofDockerfile(body: ConfiguredBody, folder: string, { log, caFile, tell }: PlanParts): EnginePlan {
  const { path, args } = readDockerfile(folder, body.dockerfile);
  const undeclared = Object.keys(body.buildArgs).find((name) => !args.includes(name));
  if (undeclared !== undefined)
    throw new Refusal(
      `buildArgs.${undeclared} of the configuration file is not declared by ARG in ${path}: declare it, or leave it out.`,
    );
  const secret = new Set(body.secrets);
  const given = Object.entries(body.variables ?? {});
  const own = Object.entries(body.buildArgs);
  const older = Object.entries(body.arguments ?? {}).filter(
    ([name]) => args.includes(name) && body.buildArgs[name] === undefined && body.variables?.[name] === undefined,
  );
  if (older.length > 0) tell({ arguments: older.map(([name]) => name).slice(0, 1_000) });
  const plain = [
    ...older,
    ...given.filter(([name]) => !secret.has(name) && args.includes(name) && body.buildArgs[name] === undefined),
    ...own,
  ];
  const secrets = given.filter(([name]) => secret.has(name));
  log.say(`${path}${body.target === '' ? '' : `, stage ${body.target}`}`);
  if (plain.length > 0) log.say(`Arguments: ${plain.map(([name]) => name).join(', ')}`);
  const hidden = args.filter((name) => secret.has(name) && body.buildArgs[name] === undefined);
  if (hidden.length > 0)
    log.say(`${hidden.join(', ')}: secrets are no arguments; use RUN --mount=type=secret,id=${hidden[0]}`);
  return {
    folder,
    dockerfile: path,
    target: body.target,
    args: Object.fromEntries(plain),
    secrets: { ...certificatesOf(caFile).secrets, ...Object.fromEntries(secrets) },
  };
}
