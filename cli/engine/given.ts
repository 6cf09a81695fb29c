import { text } from 'node:stream/consumers';
import { wholeNumber } from '../../domain/settings/setting.ts';
import { UsageError } from './command.ts';
import { canAsk, hidden } from './question.ts';
import { said } from './table.ts';

/** The number that an option was given. */
export function wholeNumberOf(
  option: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const kind = wholeNumber(least, most);
  const found = kind.parse(text);
  if (found !== undefined) return found;
  throw new UsageError(said`${option} is "${text}": it must be ${kind.form}.`);
}

/** The thing that this word was found to mean; of none the refusal names those that there are. `where`: " of shop in staging". */
export function foundBy<Thing>(
  word: string,
  noun: string,
  found: Thing | undefined,
  there: readonly string[],
  where = '',
): Thing {
  if (found !== undefined) return found;
  throw new UsageError(said`There is no ${noun} "${word}"${where}; there is: ${there.join(', ') || 'none'}.`);
}

/** The thing of this id or this name, in any capitals; names are no two's. */
export function namedBy<Thing extends { id: string }>(
  word: string,
  noun: string,
  things: readonly Thing[],
  nameOf: (thing: Thing) => string,
): Thing {
  const meant = word.toLowerCase();
  const found = things.find((one) => one.id === meant || nameOf(one).toLowerCase() === meant);
  return foundBy(word, noun, found, things.map(nameOf));
}

/** A secret, which is no argument: asked for at a terminal, and else, or if it is `piped`, the standard input. */
export async function secretOf(question: string, piped = false): Promise<string> {
  if (!piped && canAsk()) return await hidden(question);
  // A terminal that cannot be asked would show what is typed.
  return process.stdin.isTTY && !piped ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
}
