import { nearest } from '../../domain/nearest.ts';
import { type Command, UsageError } from './command.ts';
import { tellFailure } from './failure.ts';
import { readerGone } from './interrupted.ts';

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** Runs the command that these words name. The exit code says how it went; `spoken` turns the sentence of a failure into ours. */
export async function runWords(
  words: readonly string[],
  commands: Commands,
  spoken?: (text: string) => string,
): Promise<void> {
  // A reader may stop reading (`./ballast help | head`); that is no failure. Commands that would run for ever stop then.
  process.stdout.on('error', () => readerGone.abort());
  process.stderr.on('error', () => {});
  try {
    const { load, rest } = choose(words, commands);
    await (await load()).run(rest);
  } catch (error) {
    process.exitCode = tellFailure(error, spoken);
  }
}

/** The command, and the words that belong to it. Help is told before, by cli/help/help.mjs. */
function choose(words: readonly string[], commands: Commands): { load: () => Promise<Command>; rest: string[] } {
  const [first = '', second, ...others] = words;
  const two = `${first} ${second ?? ''}`;
  const named = (name: string) => (Object.hasOwn(commands, name) ? commands[name] : undefined);
  const ofTwo = named(two);
  if (ofTwo !== undefined) return { load: ofTwo, rest: others };
  const ofOne = named(first);
  if (ofOne !== undefined) return { load: ofOne, rest: words.slice(1) };
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  const both = second === undefined ? undefined : nearest(two, Object.keys(commands));
  if (group.length > 0 && both === undefined)
    throw new UsageError(`\`./ballast ${first}\` needs one more word: ${group.join(', ')}.`);
  const firsts = new Set([...Object.keys(commands).map((name) => name.split(' ')[0] ?? name), 'exec', 'help']);
  const meant = both ?? nearest(first, firsts);
  throw new UsageError(
    `There is no command "${both === undefined ? first : two}"; ${meant ? `did you mean ${meant}?` : 'see `./ballast help`.'}`,
  );
}
