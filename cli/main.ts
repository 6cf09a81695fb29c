import { nearest } from '../domain/nearest.ts';
import { commands } from './commands.ts';
import { UsageError } from './engine/command.ts';
import { tellFailure } from './engine/failure.ts';
import { readerGone } from './engine/reader-gone.ts';

/** The words after `./ballast` that name a command, and those that belong to it. Help is told before, by cli/help/help.mjs. */
function choose(args: string[]): { name: string; rest: string[] } {
  const [first = '', second, ...others] = args;
  const two = `${first} ${second ?? ''}`;
  if (two in commands) return { name: two, rest: others };
  if (first in commands) return { name: first, rest: args.slice(1) };
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  const both = second === undefined ? undefined : nearest(two, Object.keys(commands));
  if (group.length > 0 && both === undefined)
    throw new UsageError(`\`./ballast ${first}\` needs one more word: ${group.join(', ')}.`);
  const firsts = new Set([...Object.keys(commands).map((name) => name.split(' ')[0] ?? name), 'exec', 'help']);
  const meant = both ?? nearest(first, firsts);
  throw unknown(both === undefined ? first : two, meant);
}

function unknown(typed: string, meant: string | undefined): UsageError {
  return new UsageError(
    `There is no command "${typed}"; ${meant ? `did you mean ${meant}?` : 'see `./ballast help`.'}`,
  );
}

// A reader may stop reading (`./ballast help | head`); that is no failure. Commands that would run for ever stop then.
process.stdout.on('error', () => readerGone.abort());
process.stderr.on('error', () => {});

try {
  const { name, rest } = choose(process.argv.slice(2));
  const load = commands[name];
  await (await load?.())?.run(rest);
} catch (error) {
  process.exitCode = tellFailure(error);
}
