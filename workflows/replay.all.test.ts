import { expect, test } from 'vitest';
import { historyFiles, replayed } from '../test/actors/replayed-histories.ts';

/** Those of actors that still run. */
const files = historyFiles.filter((file) => file.includes('-open-'));

const errors = await replayed(files);

test.each(files)('%s still replays', (file) => {
  expect(errors.has(file)).toBe(true);
  expect(errors.get(file)).toBeUndefined();
});
