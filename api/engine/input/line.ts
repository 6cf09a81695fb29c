import { z } from 'zod';

/**
 * Control characters, and those that are not seen but hide text or turn it around, by their numbers: other languages read
 * this pattern from openapi.json, and know no Unicode categories. What joins letters (200c, 200d) belongs to names.
 */
const hidden = [
  '\\u0000-\\u001f\\u007f-\\u009f',
  '\\u00ad\\u061c\\u180e\\u3164\\ufeff\\uffa0',
  '\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f',
  '\\ufff9-\\ufffb',
  // Tags, which stand beyond the first 65,536.
  '\\udb40',
];
const visible = new RegExp(`^[^${hidden.join('')}]*$`);
const unseen = 'contains a character that cannot be seen, such as one that turns text around; remove it';

/** A text of one line, as people read it: what they see is all there is. */
export function line(most: number) {
  return z.string().min(1).max(most).regex(visible, unseen);
}

/** Words of what is sought in a list, or blanks, which narrow nothing. */
export function soughtText(where: string) {
  return z
    .string()
    .normalize('NFC')
    .trim()
    .max(200)
    .optional()
    .describe(`Only those with each of these words in ${where}.`);
}

/** A name that people give to something. Spaces around it are left out, and a letter of two signs, as macOS writes it, is one. */
export function nameText(least = 1) {
  return z.string().normalize('NFC').trim().min(least).max(100).regex(visible, unseen);
}
