import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginRun } from './begin-run.ts';

test('a run ends with what repeats each failure alone, what did not run, and the command that brings it', async () => {
  const results = join(tmpdir(), `results-${crypto.randomUUID()}.jsonl`);
  const run = beginRun('failing', { TEST_RESULTS: results });
  expect(await run.ended).toBe(1);
  expect(run.said()).toContain(`
What failed, alone:
  TEST_SEED=7 npm test -- test/run/failing/fails.ts -t '^a thing that isn'\\''t right \\(yet\\)$'
NOT RUN: browser: install chromium
NOT RUN: sandbox: this kernel has no namespaces

With this they run as well:
  apt-get install -y chromium
`);
  const [line = ''] = readFileSync(results, 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ file: 'test/run/failing/fails.ts', passed: 1, failed: 1, skipped: 0 });
});

test('the pattern of such a command chooses that test and no other', async () => {
  const run = beginRun('failing', {}, ['-t', "^a thing that isn't right \\(yet\\)$"]);
  expect(await run.ended).toBe(1);
  expect(run.said()).toMatch(/Tests .*1 failed.*1 skipped/);
});
