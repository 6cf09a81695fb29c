import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { rotate, tail } from './log-files.ts';
import { temporaryFolder } from './test-ground.ts';

let log: string;
beforeEach(() => {
  log = join(temporaryFolder(), 'part.log');
});

const large = 'x'.repeat(11 * 1024 * 1024);

test('a writer that holds the file open goes on at the beginning of the emptied file', () => {
  const writer = openSync(log, 'a');
  writeSync(writer, large);
  rotate(log);
  writeSync(writer, 'after');
  closeSync(writer);
  expect(readFileSync(log, 'utf8')).toBe('after');
  expect(statSync(`${log}.1`).size).toBe(large.length);
});

test('no more than three old files are kept', () => {
  for (const mark of ['a', 'b', 'c', 'd']) {
    appendFileSync(log, `${large}${mark}`);
    rotate(log);
  }
  expect([1, 2, 3].map((number) => readFileSync(`${log}.${number}`, 'utf8').slice(-1))).toEqual(['d', 'c', 'b']);
  expect(statSync(`${log}.4`, { throwIfNoEntry: false })).toBeUndefined();
});

test('the end of a log is read, and a log that is not there has none', () => {
  expect(tail(log)).toBe('');
  appendFileSync(log, `${'line\n'.repeat(10_000)}last`);
  expect(tail(log, 10)).toBe('\nline\nlast');
});
