import { z } from 'zod';

/** Characters that change a line's direction, are invisible, or control a terminal. */
const unshown = /[\p{Cc}\p{Bidi_Control}\u{200b}\u{2060}-\u{2064}\u{feff}]/gu;

/** Free text of programs, shown to people: cut and cleaned, and otherwise believed. */
export function said(longest: number) {
  return z.string().overwrite((text) => cut(text.replace(unshown, kept), longest));
}

/** A name: refused if it is too long or could be mistaken for another. */
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
