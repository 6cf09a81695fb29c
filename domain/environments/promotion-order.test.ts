import { expect, test } from 'vitest';
import { inPromotionOrder } from './environments.ts';

const named = (name: string, more: { production?: boolean; kind?: 'preview' } = {}) => ({
  ...{ name, production: false, kind: 'persistent' as const },
  ...more,
});
const order = (...environments: ReturnType<typeof named>[]) => inPromotionOrder(environments).map(({ name }) => name);

test('from development to production, whatever was created first', () => {
  const [production, staging] = [named('Production', { production: true }), named('Staging')];
  expect(order(production, staging)).toEqual(['Staging', 'Production']);
  expect(order(production, staging, named('QA'), named('dev'), named('PR 7', { kind: 'preview' }))).toEqual([
    'PR 7',
    'dev',
    'QA',
    'Staging',
    'Production',
  ]);
});

test('production is what is marked so, and names that say nothing stand before the last step', () => {
  const [shop, eu] = [named('Shop', { production: true }), named('Europe', { production: true })];
  expect(order(shop, eu, named('Staging'), named('Fair'), named('Development'))).toEqual([
    'Development',
    'Fair',
    'Staging',
    'Shop',
    'Europe',
  ]);
  expect(order(named('Devices'), named('Staging'), named('Testing'))).toEqual(['Testing', 'Devices', 'Staging']);
});
