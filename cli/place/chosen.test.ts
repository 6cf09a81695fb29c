import { expect, test } from 'vitest';
import { meant } from './chosen.ts';

const things = [
  ['shop', 'Shop'],
  ['shop-2', 'SHOP'],
  ['twin', 'Twin'],
  ['twin-2', 'Twin'],
  ['cafe', 'Caf\u00e9'],
  ['service', '!!!'],
  ['service-2', 'متجر'],
  ['prod', 'shop-2'],
].map(([slug = '', name = ''], at) => ({ id: `id-${at}`, slug, name }));

test.each([
  ['shop', 'shop'],
  ['SHOP', 'shop-2'],
  ['shop-2', 'shop-2'],
  ['ID-6', 'service-2'],
  ['twin', 'twin'],
  ['Cafe\u0301', 'cafe'],
  ['CAF\u00c9', 'cafe'],
  ['!!!', 'service'],
  ['متجر', 'service-2'],
  ['nothing', undefined],
  ['__proto__', undefined],
])('%s means %s', (word, slug) => expect(meant(things, word)?.slug).toBe(slug));

test.each([
  ['ShOp', 'shop, shop-2'],
  ['Twin', 'twin, twin-2'],
])('of several called %s none is guessed', (word, slugs) => {
  expect(() => meant(things, word)).toThrow(`Several are called "${word}": say which one by its slug: ${slugs}.`);
});
