import { expect, test } from 'vitest';
import { z } from 'zod';
import { encoderOf } from './answers.ts';

const at = new Date('2026-01-02T03:04:05.678Z');
const credential = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
  team: z.object({ name: z.string(), since: z.iso.datetime() }).optional(),
  uses: z.array(z.object({ at: z.iso.datetime(), by: z.string().optional() })),
  port: z.int().nullable(),
  value: z.unknown().optional(),
});

test('a row is answered with its times as text, and without what is null', () => {
  const row = { id: 'a', createdAt: at, lastUsedAt: null, team: null, uses: [{ at, by: null }], port: 80, value: 1 };
  const text = at.toISOString();
  expect(encoderOf(credential)(row)).toStrictEqual({
    id: 'a',
    createdAt: text,
    uses: [{ at: text }],
    port: 80,
    value: 1,
  });
});

test('null is answered where the schema takes it', () => {
  const row = { id: 'a', createdAt: at, team: { name: 'web', since: at }, uses: [], port: null, value: null };
  const answer = encoderOf(credential)(row);
  expect(answer).toMatchObject({ team: { name: 'web', since: at.toISOString() }, port: null, value: null });
});

test('a column that the schema does not have is in no answer, however deep', () => {
  const row = { id: 'a', createdAt: at, uses: [{ at, sealed: 'secret' }], port: 1, sealed: 'secret' };
  expect(JSON.stringify(encoderOf(z.array(credential))([row]))).not.toContain('secret');
  expect(JSON.stringify(encoderOf(credential.optional())(row))).not.toContain('secret');
});

test('documents of any form stay as they are', () => {
  expect(encoderOf(z.record(z.string(), z.unknown()))({ a: null })).toEqual({ a: null });
  expect(encoderOf(z.looseObject({ kty: z.string() }))({ kty: 'RSA', n: 'x' })).toEqual({ kty: 'RSA', n: 'x' });
});
