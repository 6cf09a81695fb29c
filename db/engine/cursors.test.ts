import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fc } from '../../test/run/drawn.ts';
import { openCursor, sealCursor } from './cursors.ts';

const key = randomBytes(32);
const context = { operation: 'teams.list', organizationId: 'o-1', filters: { action: 'a', from: null } };
const after = { createdAt: '2026-01-01T00:00:00.000Z', id: 'x' };
const cursor = sealCursor(key, { ...context, after });

test('a cursor opens in its own list', () => {
  expect(openCursor(key, cursor, context)).toEqual(after);
  expect(openCursor(key, cursor, { ...context, filters: { from: null, action: 'a' } })).toEqual(after);
});

test('a cursor does not open anywhere else', () => {
  expect(openCursor(key, cursor, { ...context, operation: 'members.list' })).toBeUndefined();
  expect(openCursor(key, cursor, { ...context, organizationId: 'o-2' })).toBeUndefined();
  expect(openCursor(key, cursor, { ...context, organizationId: undefined })).toBeUndefined();
  expect(openCursor(key, cursor, { ...context, filters: { action: 'b', from: null } })).toBeUndefined();
  expect(openCursor(randomBytes(32), cursor, context)).toBeUndefined();
});

test('whatever is changed, cut or added, it does not open', () => {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \0ä';
  const change = fc.record({
    at: fc.integer({ min: 0, max: cursor.length }),
    remove: fc.integer({ min: 0, max: 3 }),
    insert: fc.string({ unit: fc.constantFrom(...characters), maxLength: 3 }),
  });
  fc.assert(
    fc.property(change, ({ at, remove, insert }) => {
      const changed = cursor.slice(0, at) + insert + cursor.slice(at + remove);
      fc.pre(changed !== cursor);
      expect(openCursor(key, changed, context)).toBeUndefined();
    }),
    { numRuns: 3_000 },
  );
});

test('arbitrary text does not open, however long', () => {
  fc.assert(fc.property(fc.string({ maxLength: 3_000 }), (text) => openCursor(key, text, context) === undefined));
  expect(openCursor(key, 'A'.repeat(1_000_000), context)).toBeUndefined();
  expect(openCursor(key, '', context)).toBeUndefined();
});

test('whatever the position, it comes back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const position = JSON.parse(JSON.stringify(value));
      const sealed = sealCursor(key, { ...context, after: position });
      fc.pre(sealed.length <= 2_048);
      expect(openCursor(key, sealed, context)).toEqual(position);
    }),
  );
});
