import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/run/drawn.ts';
import { arrange, type Box, boxWidth } from './layout.ts';

const box = (id: string, needs: string[] = [], at?: { x: number; y: number }): Box => ({
  id,
  needs,
  height: 92,
  ...(at === undefined ? {} : { at }),
});

function covering(boxes: readonly Box[]): string[] {
  const places = arrange(boxes);
  const placed = boxes.map(({ id, height }) => ({ id, height, ...(places.get(id) ?? { x: Number.NaN, y: 0 }) }));
  return placed.flatMap((one, index) =>
    placed
      .slice(index + 1)
      .filter(
        (other) =>
          Math.abs(one.x - other.x) < boxWidth && one.y < other.y + other.height && other.y < one.y + one.height,
      )
      .map((other) => `${one.id} ${other.id}`),
  );
}

describe('arrange', () => {
  test('puts a service left of all that it needs, however far', () => {
    const places = arrange([box('db'), box('web', ['api', 'db']), box('api', ['db'])]);
    const x = (id: string) => places.get(id)?.x ?? Number.NaN;
    expect(x('web')).toBeLessThan(x('api'));
    expect(x('api')).toBeLessThan(x('db'));
  });

  test('puts those that nobody needs and that need nobody beneath, side by side', () => {
    const places = arrange([box('cron'), box('web', ['db']), box('mailer'), box('db')]);
    const lowest = Math.max(places.get('web')?.y ?? 0, places.get('db')?.y ?? 0);
    expect(places.get('cron')?.y).toBeGreaterThan(lowest);
    expect(places.get('cron')?.y).toBe(places.get('mailer')?.y);
  });

  test('ends on a circle, and on needs that are not there', () => {
    const places = arrange([box('a', ['b']), box('b', ['c']), box('c', ['a', 'gone']), box('d', ['d'])]);
    expect(places.size).toBe(4);
  });

  test('leaves a box where somebody put it, and others make room', () => {
    const [first] = arrange([box('web', ['db']), box('db')]).values();
    const places = arrange([box('web', ['db']), box('db'), box('mailer', [], first)]);
    expect(places.get('mailer')).toEqual(first);
    expect(covering([box('web', ['db']), box('db'), box('mailer', [], first)])).toEqual([]);
  });

  test('keeps the crossing of lines low: a column is in the order of those that need it', () => {
    const places = arrange([box('a', ['y']), box('b', ['x']), box('x'), box('y')]);
    expect(places.get('y')?.y).toBe(places.get('a')?.y);
    expect(places.get('x')?.y).toBe(places.get('b')?.y);
  });

  test('never lets a box cover another one that nobody placed, whatever needs whatever', () => {
    const ids = Array.from({ length: 30 }, (_, number) => `s${number}`);
    const boxes = fc.array(
      fc.record({
        height: fc.integer({ min: 92, max: 300 }),
        needs: fc.array(fc.constantFrom(...ids), { maxLength: 4 }),
      }),
      { maxLength: 30 },
    );
    const placed = fc.option(
      fc.record({ x: fc.integer({ min: -500, max: 900 }), y: fc.integer({ min: -500, max: 900 }) }),
      {
        nil: undefined,
      },
    );
    fc.assert(
      fc.property(boxes, placed, (given, at) => {
        const all = given.map((one, index) => ({ ...one, id: `s${index}`, ...(index === 0 && at ? { at } : {}) }));
        expect(covering(all)).toEqual([]);
      }),
    );
  });
});
