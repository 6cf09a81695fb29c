import { expect, test } from 'vitest';
import { deployOrder, type Needs } from './deploy-order.ts';

const needs = (of: Record<string, { on?: string; to?: string }>): Map<string, Needs> =>
  new Map(
    Object.entries(of).map(([id, { on = '', to = '' }]) => [id, { dependsOn: new Set(on), refersTo: new Set(to) }]),
  );
const order = (of: Record<string, { on?: string; to?: string }>, members: string) =>
  Object.fromEntries([...deployOrder(needs(of), [...members])].map(([id, before]) => [id, before.join('')]));

test('a service comes after those that it depends on and refers to; others go along', () => {
  expect(order({ a: { on: 'b', to: 'c' }, b: {}, c: {}, d: {} }, 'abcd')).toEqual({ a: 'bc', b: '', c: '', d: '' });
});

test('the way leads through services that are not deployed', () => {
  expect(order({ a: { on: 'b' }, b: { to: 'c' }, c: { on: 'd' }, d: {} }, 'ac')).toEqual({ a: 'c', c: '' });
});

test('references in a circle order nothing, but for dependencies among them and what comes before or after the circle', () => {
  expect(order({ a: { to: 'b' }, b: { to: 'a' } }, 'ab')).toEqual({ a: '', b: '' });
  expect(order({ a: { to: 'b' }, b: { to: 'a', on: 'a' } }, 'ab')).toEqual({ a: '', b: 'a' });
  expect(order({ x: { to: 'a' }, a: { to: 'b' }, b: { to: 'ac' }, c: {} }, 'xabc')).toEqual({
    ...{ x: 'a', a: '', b: 'c', c: '' },
  });
});

test('they are named in an order in which each comes after its own', () => {
  const of = { a: { on: 'b' }, b: { on: 'c' }, c: { on: 'd' }, d: {} };
  expect([...deployOrder(needs(of), [...'abcd']).keys()].join('')).toBe('dcba');
});

test('in random graphs each waits for all that it needs, unless that needs it, too, and for nothing else', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 300; round += 1) {
    const ids = [...'abcdefgh'];
    const of = Object.fromEntries(
      ids.map((id, at) => [
        id,
        // Dependencies have no circle: each is on one that comes before.
        {
          on: ids.filter((_, other) => other < at && random(5) === 0).join(''),
          to: ids.filter((one) => one !== id && random(7) === 0).join(''),
        },
      ]),
    );
    const members = ids.filter(() => random(3) > 0);
    const found = deployOrder(needs(of), members);
    const waits = (one: string, other: string, seen = new Set<string>()): boolean =>
      (found.get(one) ?? []).some((next) => next === other || (!seen.has(next) && waits(next, other, seen.add(next))));
    const reach = reaches(of);
    expect([...found.keys()].toSorted()).toEqual(members);
    for (const one of members) {
      expect(waits(one, one)).toBe(false);
      for (const other of members) {
        if (one === other) continue;
        const needed = of[one]?.on.includes(other) || (of[one]?.to.includes(other) && !reach(other, one));
        if (needed) expect([round, one, other, waits(one, other)]).toEqual([round, one, other, true]);
        if (!reach(one, other)) expect(waits(one, other)).toBe(false);
      }
    }
  }
});

/** By the closure of a matrix. */
function reaches(of: Record<string, { on: string; to: string }>): (one: string, other: string) => boolean {
  const ids = Object.keys(of);
  const matrix = new Map(ids.map((id) => [id, new Set(`${of[id]?.on}${of[id]?.to}`)]));
  for (const via of ids) {
    for (const from of ids) {
      if (matrix.get(from)?.has(via)) for (const to of matrix.get(via) ?? []) matrix.get(from)?.add(to);
    }
  }
  return (one, other) => matrix.get(one)?.has(other) === true;
}
