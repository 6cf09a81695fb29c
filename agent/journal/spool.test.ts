import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import type { OutputPiece } from '../../protocol/command.ts';
import { Spool } from './spool.ts';

let directory: string;
beforeEach(() => {
  directory = join(temporaryFolder(), 'output');
});

const text = (pieces: OutputPiece[]) => pieces.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
function drain(spool: Spool): OutputPiece[] {
  const all: OutputPiece[] = [];
  for (let batch = spool.batch(); batch.length > 0; batch = spool.batch()) {
    all.push(...batch);
    spool.acknowledge(batch.at(-1)?.number ?? 0);
  }
  return all;
}

test('pieces are given until they are acknowledged, numbered without a gap across restarts', () => {
  const spool = new Spool(directory);
  for (let line = 0; line < 450; line += 1) spool.add('stdout', Buffer.from(`${line}\n`));
  expect(spool.batch()).toHaveLength(200);
  expect(spool.batch()).toEqual(spool.batch());
  spool.acknowledge(199);
  expect(spool.batch()[0]?.number).toBe(200);
  const later = new Spool(directory);
  later.add('stderr', Buffer.from('later\n'));
  const pieces = drain(later);
  expect(pieces.map(({ number }) => number)).toEqual(Array.from({ length: 451 }, (_, number) => number));
  expect(text(pieces).endsWith('449\nlater\n')).toBe(true);
  expect(later.isEmpty).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});

test('a piece that was cut off by a crash is not given', () => {
  new Spool(directory).add('stdout', Buffer.from('whole\n'));
  appendFileSync(join(directory, readdirSync(directory)[0] ?? ''), '{"number":1,"stream":"stdout","da');
  expect(text(drain(new Spool(directory)))).toBe('whole\n');
});

test('where none may be missing, too much is refused, and what there is stays', () => {
  const spool = new Spool(directory, 300_000, 'refuse');
  const part = Buffer.alloc(60_000, 'x');
  for (let count = 0; count < 3; count += 1) spool.add('stdout', part);
  expect(() => spool.add('stdout', part)).toThrow(/has not taken/);
  expect(drain(spool).map(({ number }) => number)).toEqual([0, 1, 2]);
  spool.add('stdout', part);
  expect(spool.batch()[0]?.number).toBe(3);
});

test('too much is dropped from the oldest on, and a piece says so', () => {
  const spool = new Spool(directory, 3 * 1024 * 1024);
  const part = Buffer.alloc(60_000, 'x');
  for (let count = 0; count < 100; count += 1) spool.add('stdout', part);
  spool.add('stdout', Buffer.from('the end'));
  const pieces = drain(spool);
  const numbers = pieces.map(({ number }) => number);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(pieces[0]).toMatchObject({ stream: 'progress' });
  expect(text(pieces.slice(0, 1))).toContain('Output is missing here');
  expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
  expect(text(pieces).endsWith('the end')).toBe(true);
  expect(pieces.length).toBeLessThan(60);
});
