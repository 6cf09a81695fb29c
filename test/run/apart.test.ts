import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apart, apartFromAll } from './apart.ts';

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

test('an engine waits for that of another process, a browser for no other browser', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-apart-'));
  // As another process of the run, which this one outlives.
  writeFileSync(join(directory, `browser-${process.ppid}`), '');
  (await apart('browser', directory))();
  rmSync(join(directory, `browser-${process.ppid}`));
  writeFileSync(join(directory, `engine-${process.ppid}`), '');
  let begun = false;
  const engine = apart('engine', directory).then((end) => {
    begun = true;
    return end;
  });
  await new Promise(setImmediate);
  expect(begun).toBe(false);
  rmSync(join(directory, `engine-${process.ppid}`));
  (await engine)();
  rmSync(directory, { recursive: true });
});

test('an engine waits for both of two browsers of one process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-apart-'));
  const [firstEnds, secondEnds] = [await apart('browser', directory), await apart('browser', directory)];
  let begun = false;
  const engine = apart('engine', directory).then((end) => {
    begun = true;
    return end;
  });
  firstEnds();
  expect(readdirSync(directory).filter((name) => name.startsWith('browser-'))).toHaveLength(1);
  await new Promise(setImmediate);
  expect(begun).toBe(false);
  secondEnds();
  (await engine)();
  rmSync(directory, { recursive: true });
});

test('a test that needs both begins both while it keeps all others away', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-apart-'));
  const engineEnds = await apart('engine', directory);
  let begun = false;
  const all = apartFromAll(directory).then((end) => {
    begun = true;
    return end;
  });
  await new Promise(setImmediate);
  expect(begun).toBe(false);
  engineEnds();
  const end = await all;
  const own = [await apart('engine', directory), await apart('browser', directory)];
  for (const ends of own) ends();
  // As another process of the run, which this one outlives.
  writeFileSync(join(directory, `both-${process.ppid}`), '');
  end();
  let third = false;
  const browser = apart('browser', directory).then((ends) => {
    third = true;
    return ends;
  });
  await new Promise(setImmediate);
  expect(third).toBe(false);
  rmSync(join(directory, `both-${process.ppid}`));
  (await browser)();
  rmSync(directory, { recursive: true });
});
