import { wholeNumber } from '../../domain/settings/setting.ts';
import { UsageError } from './command.ts';
import { printable } from './table.ts';

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
  throw new UsageError(`${option} is "${printable(text)}": it must be ${kind.form}.`);
}
