import { z } from 'zod';

/** What turns the direction of a line, hides in it, or speaks to a terminal. */
const unshown = /[\p{Cc}\p{Bidi_Control}\u{200b}\u{2060}-\u{2064}\u{feff}]/gu;

/** What programs say in their own words: shown to people, so it is cut and cleaned, and the rest of it is believed. */
export function said(longest: number) {
  return z.string().overwrite((text) => cut(text.replace(unshown, kept), longest));
}

/** What something is called: one that is too long, or that could be taken for another, is refused. */
export function called(longest: number) {
  return z
    .string()
    .max(longest)
    .refine((text) => text.search(unshown) < 0, 'must hold no control characters');
}

function kept(character: string): string {
  return character === '\n' || character === '\t' ? character : '';
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // A pair of surrogates is not parted.
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
