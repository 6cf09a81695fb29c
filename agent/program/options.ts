import { parseArgs } from 'node:util';
import { nearest } from '../../domain/nearest.ts';
import { Refusal } from './refusal.ts';

export interface Option {
  what: string;
  /** How its value is called in the help; missing for a switch. */
  value?: string;
  /** Several times is allowed; the variable has one a line. */
  repeated?: true;
  /** The variable that says the same. */
  variable?: string;
  default?: string;
  /** How the help says a default that is not the same for everybody. */
  defaultInHelp?: string;
}

/** A command of the installed agent: `ballast agent <name>`. */
export interface AgentCommand {
  name: string;
  summary: string;
  details: string;
  /** A word besides its options, as in `trust FINGERPRINT`; it may be left out. */
  word?: string;
  options: Readonly<Record<string, Option>>;
  run(values: Values): Promise<number>;
}

export interface Values {
  word: string | undefined;
  text(name: string): string | undefined;
  /** All of one that may be given several times. */
  texts(name: string): string[];
  /** One that has a default, or that cannot be done without. */
  needed(name: string): string;
  number(name: string, least: number, most: number): number;
  has(name: string): boolean;
}

export function readValues(command: AgentCommand, args: string[], environment: NodeJS.ProcessEnv): Values {
  const config = Object.fromEntries(
    Object.entries(command.options).map(([name, { value, repeated = false }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: repeated },
    ]),
  );
  const { values, tokens } = parseArgs({ args, options: config, strict: false, allowPositionals: true, tokens: true });
  let word: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional' && command.word !== undefined && word === undefined) {
      word = token.value;
      continue;
    }
    if (token.kind === 'positional') throw new Refusal(`"${token.value}" is not understood; see --help.`);
    if (token.kind !== 'option') continue;
    const known = command.options[token.name];
    if (known === undefined) {
      const meant = nearest(token.name, Object.keys(command.options));
      throw new Refusal(`There is no option ${token.rawName}; ${meant ? `did you mean --${meant}?` : 'see --help.'}`);
    }
    if (known.value !== undefined && !token.value) throw new Refusal(`${token.rawName} wants a value: ${known.value}.`);
    if (known.value === undefined && token.value !== undefined) throw new Refusal(`${token.rawName} takes no value.`);
  }
  const text = (name: string): string | undefined => {
    const { variable, default: otherwise } = command.options[name] ?? {};
    const given = values[name];
    if (typeof given === 'string') return given;
    return (variable === undefined ? undefined : environment[variable] || undefined) ?? otherwise;
  };
  const texts = (name: string): string[] => {
    const { variable } = command.options[name] ?? {};
    const given = values[name];
    if (Array.isArray(given)) return given.map(String);
    const lines = variable === undefined ? [] : (environment[variable] ?? '').split('\n');
    return lines.filter((line) => line.trim() !== '');
  };
  const needed = (name: string): string => {
    const value = text(name);
    if (value === undefined) throw new Refusal(`--${name} is missing; see --help.`);
    return value;
  };
  const number = (name: string, least: number, most: number): number => {
    const value = Number(needed(name));
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new Refusal(`--${name} must be a number from ${least} to ${most}.`);
  };
  return { word, text, texts, needed, number, has: (name) => values[name] === true };
}

export function describe({ name, summary, details, word, options }: AgentCommand): string {
  const rows = Object.entries(options).map(
    ([name, option]) =>
      `  --${name}${option.value === undefined ? '' : ` ${option.value}`}\n      ${describeOption(option)}\n`,
  );
  return `ballast agent ${name}${word === undefined ? '' : ` [${word}]`} [options]\n\n${summary}\n${details === '' ? '' : `\n${details}\n`}\nOptions:\n${rows.join('')}`;
}

export function describeOption({ what, variable, default: otherwise, defaultInHelp = otherwise }: Option): string {
  const more = [defaultInHelp === undefined ? [] : `default ${defaultInHelp}`, variable ?? []].flat();
  return more.length > 0 ? `${what} (${more.join('; ')})` : what;
}
