import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfSandbox } from '../../../domain/builds/variables.ts';
import { mostFileBytes } from '../../../domain/repository-config/document.ts';
import { configFor, configPaths } from '../../../domain/repository-config/overlay.ts';
import { readConfig } from '../../../domain/repository-config/parse.ts';
import { problemLine, summaryOf } from '../../../domain/repository-config/summary.ts';
import type { BuildBody, BuildProgress } from '../../../protocol/build.ts';
import { Refusal } from '../../program/refusal.ts';

/** What is asked, with what the configuration file of the source says over it. */
export interface ConfiguredBody extends BuildBody {
  /** Of the file: each is declared by the Dockerfile. */
  buildArgs: Readonly<Record<string, string>>;
}

interface Telling {
  log: { say(line: string): void };
  tell(progress: BuildProgress): void;
}

/** More of a piece is cut by the spool. */
const mostOfPiece = 60_000;

/** Reads the file of a fetched source and tells it. One with problems ends the build. */
export function configured(body: BuildBody, source: string, telling: Telling): ConfiguredBody {
  const { log } = telling;
  const paths = configPaths(body.context, (path) => isFile(source, path));
  const [path = '', beside] = paths;
  const text = path === '' ? undefined : textOf(join(source, path));
  const isTellable = text !== undefined && JSON.stringify(text).length <= mostOfPiece;
  telling.tell({
    repositoryConfig: {
      path,
      ...(isTellable ? { text } : {}),
      ...(beside === undefined ? {} : { beside }),
    },
  });
  const { status, problems, config, message } = readConfig(paths, () => (isTellable ? text : undefined));
  if (status === 'absent') return { ...body, buildArgs: {} };
  if (config === undefined || status === 'invalid') {
    for (const problem of problems) log.say(problemLine(path, problem));
    throw new Refusal(message);
  }
  const { effective, context } = configFor(config, body.repository.split('/').at(-1) ?? '');
  log.say(`${path}: ${summaryOf(effective)}`);
  if (message !== '') log.say(message);
  const { builder, dockerfile, target, buildArgs, env } = effective;
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => !isOfSandbox(name)));
  return {
    ...body,
    context: context === '' ? body.context : context,
    builder: builder === '' ? body.builder : builder,
    dockerfile: dockerfile === '' ? body.dockerfile : dockerfile,
    target: target === '' ? body.target : target,
    variables: { ...variables, ...body.variables },
    buildArgs,
  };
}

/** A link is none, nor what lies behind one: the source comes from whoever may push. */
function isFile(source: string, path: string): boolean {
  const parts = path.split('/');
  return parts.every((_, index) => {
    const found = lstatSync(join(source, ...parts.slice(0, index + 1)), { throwIfNoEntry: false });
    return index === parts.length - 1 ? found?.isFile() === true : found?.isDirectory() === true;
  });
}

function textOf(file: string): string | undefined {
  if (lstatSync(file).size > mostFileBytes) return undefined;
  const text = readFileSync(file, 'utf8');
  return text.includes('\uFFFD') ? undefined : text;
}
