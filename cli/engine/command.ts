import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { nearest } from '../../domain/nearest.ts';
import { type Outcome, tell } from './outcome.ts';

/** A command of `./ballast`: what it is called, what it takes, what it does. One file each. */
export interface Command {
  summary: string;
  /** After `./ballast <name>`. */
  usage: string;
  /** More than the summary, for `--help`. */
  details: string;
  options: Readonly<Record<string, Option>>;
  run(args: string[]): Promise<void>;
}

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/**
 * Commands of a file, which is loaded when one of them is called: those of a noun by their verbs, or others by their names. The file
 * calls `project list` projectList.
 */
export function from(file: () => Promise<object>, noun: string, verbs?: string): Commands {
  const names = verbs === undefined ? noun.split(' ') : verbs.split(' ').map((verb) => `${noun} ${verb}`);
  return Object.fromEntries(
    names.map((name) => {
      const own = name.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
      return [name, async () => (await file())[own as never] as Command];
    }),
  );
}

export interface Option {
  type: 'string' | 'boolean';
  /** One letter that says the same, as in `-f`. */
  short?: string;
  multiple?: boolean;
  /** How its value is called in the help. */
  value?: string;
  what: string;
}

type Values<Options extends Readonly<Record<string, Option>>> = {
  [Name in keyof Options]?: Options[Name] extends { type: 'boolean' }
    ? boolean
    : Options[Name] extends { multiple: true }
      ? string[]
      : string;
};

interface Definition<Options extends Readonly<Record<string, Option>>> {
  summary: string;
  usage?: string;
  details?: string;
  options?: Options;
  /** How many words it takes besides its options; those that its usage begins with if left out. */
  words?: { least: number; most: number };
  /** Answers what is told at its end, or tells by itself. */
  run(values: Values<Options>, words: string[]): Promise<Outcome | undefined>;
}

/** Of commands that do not call the API, whose options have it. */
export const jsonOption = { json: { type: 'boolean', what: 'Print JSON.' } } as const satisfies Record<string, Option>;

/** Somebody typed what we do not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function command<const Options extends Readonly<Record<string, Option>> = Record<never, Option>>(
  definition: Definition<Options>,
): Command {
  const { summary, usage = '', details = '', run } = definition;
  const options: Readonly<Record<string, Option>> = definition.options ?? {};
  return {
    summary,
    usage,
    details,
    options,
    run: async (args) => {
      const { values, words } = readArgs(args, options);
      const { least, most } = definition.words ?? wordsOf(usage);
      const unwanted = words[most];
      if (unwanted !== undefined) throw new UsageError(`"${unwanted}" is not understood${takes(usage)}; see --help.`);
      if (words.length < least) throw new UsageError(`This command needs more words: ${usage}; see --help.`);
      const outcome = await run(values as Values<Options>, words);
      if (outcome !== undefined) await tell(outcome, values.json === true);
    },
  };
}

/** The words that were meant, before its options. */
function takes(usage: string): string {
  const words = beforeOptions(usage);
  return words === '' ? '' : `: it takes ${words}`;
}

/** `NAME [TEXT] [--json]` takes one word or two. */
function wordsOf(usage: string): { least: number; most: number } {
  const words = beforeOptions(usage).match(/\[[^\]]*\]?|\S+/g) ?? [];
  return { least: words.filter((word) => !word.startsWith('[')).length, most: words.length };
}

function beforeOptions(usage: string): string {
  const [words = ''] = usage.split(/ (?=[[(]-|--)/);
  return /^[[(]?-/.test(words) ? '' : words;
}

/** Words that are no options, and all those behind `--`, are words of the command. */
function readArgs(
  args: string[],
  options: Readonly<Record<string, Option>>,
): { values: Record<string, unknown>; words: string[] } {
  const config: ParseArgsOptionsConfig = {};
  for (const [name, { type, short, multiple = false }] of Object.entries(options)) {
    config[name] = { type, multiple, ...(short === undefined ? {} : { short }) };
  }
  const { values, tokens, positionals } = parseArgs({
    args,
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const known = options[token.name];
    if (known === undefined)
      throw new UsageError(`There is no option ${token.rawName}${suggestion(token.name, options)}`);
    if (known.type === 'string' && (token.value === undefined || token.value === '')) {
      throw new UsageError(`${token.rawName} needs a value, such as --${token.name} ${known.value ?? 'VALUE'}.`);
    }
    if (known.type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value; write it alone.`);
  }
  return { values, words: positionals };
}

function suggestion(name: string, options: Readonly<Record<string, Option>>): string {
  const meant = nearest(name, Object.keys(options));
  return meant ? `; did you mean --${meant}?` : '; see --help.';
}
