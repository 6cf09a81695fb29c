import { expect, test } from 'vitest';
import { beginRun } from './begin-run.ts';

test('a run that hangs ends by itself, and names the file, and none that has ended', async () => {
  const run = beginRun('hanging');
  expect(await run.ended).toBe(1);
  expect(run.said()).toMatch(
    /^1 of 2 files after \d+ s; running:\n {2}test\/run\/hanging\/never-ends\.ts, for \d+ s\nNo test has ended or begun for \d+ s: the run hangs in one of these, and is ended\.$/m,
  );
});
