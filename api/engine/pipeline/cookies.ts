import { Problem } from '../../../domain/problems.ts';

/**
 * The value of one of our cookies. Two of one name are refused: a page beneath a sibling domain can plant a second one,
 * and which of the two counts would be chance.
 */
export function ownCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  let found: string | undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    if (found !== undefined) {
      throw new Problem(
        'no-credential',
        `Two cookies named ${name} were sent; remove the one that another site has set (clear the cookies of this address) and sign in again.`,
      );
    }
    found = pair.slice(equals + 1).trim();
  }
  return found;
}
