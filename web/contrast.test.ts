import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('../pages/tokens.css', import.meta.url), 'utf8');
const found = css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\);/g);
const tokens = new Map([...found].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]));

const surfaces = ['ground', 'card', 'raised', 'sunken', 'hover', 'field'];
const tones = ['fault', 'good', 'attention', 'live'];
/** Texts, and the grounds that they lie on: 4.5 : 1. */
const texts = [
  ...['text', 'soft', 'faint', ...tones].flatMap((text) => surfaces.map((on) => [text, on] as const)),
  ...tones.map((tone) => [tone, `${tone}-ground`] as const),
  ...['text', 'soft', 'fault'].map((text) => [text, 'chosen'] as const),
  ['on-strong', 'strong'] as const,
  ['on-strong', 'strong-hover'] as const,
];
/** Marks of states and borders of fields, and the grounds that they lie on: 3 : 1. */
const marks = [
  ...['field-line', 'good-mark', 'attention-mark', 'live-mark', 'focus'].flatMap((mark) =>
    surfaces.map((on) => [mark, on] as const),
  ),
  ['focus', 'chosen'] as const,
];
/** Lines between things that their words tell apart already. */
const lines = ['line', 'soft-line', 'fault-line', 'attention-line'];

test.each(['light', 'dark'] as const)(
  'in the %s theme texts, fields and marks stand out from what they lie on',
  (theme) => {
    const weak = (pairs: readonly (readonly [string, string])[], least: number) =>
      pairs
        .map(([one, other]) => ({ one, other, ratio: contrast(colour(one, theme), colour(other, theme)) }))
        .filter(({ ratio }) => ratio < least)
        .map(({ one, other, ratio }) => `${one} on ${other}: ${ratio.toFixed(2)} : 1, needs ${least}`);
    expect([...weak(texts, 4.5), ...weak(marks, 3)]).toEqual([]);
  },
);

test('every colour is a text, a mark, a line or what these lie on', () => {
  const known = new Set([...lines, ...[...texts, ...marks].flat()]);
  expect([...tokens.keys()].filter((name) => !known.has(name))).toEqual([]);
  expect(tokens.size).toBeGreaterThan(25);
});

test('fields have the border of fields', () => {
  const of = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  expect(of('./components/forms/form.tsx')).toMatch(/control =\s+'[^']*\bborder-field-line\b/);
  expect(of('../pages/forms.css')).toMatch(/^input,\nselect \{[^}]*border: 1px solid var\(--field-line\)/m);
});

function colour(name: string, theme: 'light' | 'dark'): string {
  const token = tokens.get(name);
  if (token === undefined) throw new Error(`pages/tokens.css has no colour --${name}.`);
  return token[theme];
}

/** As WCAG 2 computes it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const digits = hex.length === 4 ? hex.replaceAll(/[0-9a-f]/g, '$&$&') : hex;
  const parts = [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
