import { expect, test } from 'vitest';
import type { Body } from '../../../control-plane/body.ts';
import { bodyOf, errorsAt, isRequired, isSame, labelOf, startOf, wrongText } from './values.ts';

const body: Body = {
  fields: {
    name: { type: 'string', minLength: 1, required: true },
    region: { type: 'string', minLength: 0 },
    role: { type: 'string', enum: ['viewer', 'admin'] },
    claims: { type: 'object' },
  },
};
const names = Object.keys(body.fields);

test('of a new thing an empty optional text is left out, and spaces around a text are', () => {
  const values = { ...startOf(names, body, { role: 'viewer' }), name: ' Berlin ' };
  expect(bodyOf(values, body, undefined)).toEqual({ name: 'Berlin', role: 'viewer' });
});

test('of a thing that exists only changes are sent, among them an emptied text', () => {
  const current = { name: 'Berlin', region: 'north', claims: { ref: ['a'], sub: ['b'] } };
  const begun = startOf(names, body, current);
  expect(bodyOf(begun, body, current)).toEqual({});
  expect(bodyOf({ ...begun, claims: { sub: ['b'], ref: ['a'] } }, body, current)).toEqual({});
  expect(bodyOf({ ...begun, region: '' }, body, current)).toEqual({ region: '' });
});

test('a text of a thing that exists must be filled in unless the API takes an empty one', () => {
  expect(isRequired({ type: 'string', minLength: 1 }, true)).toBe(true);
  expect(isRequired({ type: 'string', minLength: 0 }, true)).toBe(false);
  expect(isRequired({ type: 'string', minLength: 1 }, false)).toBe(false);
});

test('a text that does not match is refused in the words of the API', () => {
  const slug = { pattern: '^[a-z]+$', wrong: 'uses lowercase letters' };
  expect(wrongText(slug, 'Acme')).toBe('Uses lowercase letters');
  expect(wrongText(slug, 'acme ')).toBeUndefined();
  expect(wrongText({ pattern: '^[a-z]+$' }, 'Acme')).toBeUndefined();
});

test('errors belong to the field that they are in', () => {
  const fields = { 'body.claims.ref': 'is empty', 'body.claimsOf': 'another', 'body.name': 'is taken' };
  expect(errorsAt('claims', fields)).toEqual([['body.claims.ref', 'is empty']]);
  expect(errorsAt('name', fields)).toEqual([['body.name', 'is taken']]);
});

test('a label follows from the name, and the order of parts makes no difference', () => {
  expect(labelOf('expiresAt')).toBe('Expires at');
  expect(isSame({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(isSame({ b: [1, 2] }, { b: [2, 1] })).toBe(false);
});
