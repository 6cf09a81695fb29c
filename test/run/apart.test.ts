import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apart } from './apart.ts';

test('browsers and engines wait for each other, and nobody for one whose process is gone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-apart-'));
  const neverGiven = 4_194_305;
  writeFileSync(join(directory, `engine-${neverGiven}`), '');
  const browserEnds = await apart('browser', directory);
  let begun = false;
  const engine = apart('engine', directory).then((end) => {
    begun = true;
    return end;
  });
  await new Promise(setImmediate);
  expect(begun).toBe(false);
  browserEnds();
  (await engine)();
  (await apart('browser', directory))();
  rmSync(directory, { recursive: true });
});
