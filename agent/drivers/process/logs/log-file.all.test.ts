import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { linesIn } from '../../driver-bench.ts';
import { LogFile } from './log-file.ts';
import { readLogs } from './logs.ts';

test('a log that a program makes seem endless is read to its end', async () => {
  const directory = temporaryFolder();
  const files = { stdout: new LogFile(join(directory, 'stdout')), stderr: new LogFile(join(directory, 'stderr')) };
  for (const { path } of Object.values(files)) writeFileSync(path, '');
  truncateSync(files.stdout.path, 2 ** 40);
  const request = { start: { tail: 1_000_000 }, follow: false, signal: new AbortController().signal };
  const living = { last: () => ({ number: 1, running: true }), all: () => [] };
  let lines = 0;
  for await (const news of readLogs(files, request, living)) lines += linesIn(news).length;
  expect(lines).toBeGreaterThan(1_000);
  expect(lines).toBeLessThan(5_000);
});
