import { parseArgs } from 'node:util';

export interface Arguments {
  json: boolean;
  help: boolean;
  /** Names of benchmarks; empty: all. */
  only: string[];
  /** Undefined: as many as each benchmark wants. */
  rounds: number | undefined;
  /** Where servers write CPU profiles. */
  profile: string | undefined;
  /** The checkout of an older version, for benchmarks that compare with one. */
  against: string | undefined;
}

/** Something is wrong with what was typed; the message says what. */
export class ArgumentError extends Error {}

const options = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  only: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  profile: { type: 'string' },
  against: { type: 'string' },
} as const;

export function readArguments(args: string[], known: readonly string[]): Arguments {
  const { json = false, help = false, only = [], rounds, profile, against } = parsed(args);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ArgumentError(`There is no benchmark "${unknown}"; --only takes ${known.join(', ')}.`);
  if (rounds !== undefined && !/^[1-9]\d?$/.test(rounds))
    throw new ArgumentError('--rounds wants a whole number from 1 to 99.');
  return { json, help, only, rounds: rounds === undefined ? undefined : Number(rounds), profile, against };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (error) {
    throw new ArgumentError(`${error instanceof Error ? error.message : String(error)} See npm run bench -- --help.`);
  }
}
