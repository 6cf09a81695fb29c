import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { flushTree } from './tree.ts';

test.each(['sync', 'no-such-program', 'false'])('a tree is flushed where %s is what there is', async (program) => {
  const directory = temporaryFolder();
  mkdirSync(join(directory, 'deep'));
  writeFileSync(join(directory, 'deep', 'file'), 'content');
  symlinkSync('nowhere', join(directory, 'deep', 'link'));
  await expect(flushTree(directory, AbortSignal.any([]), program)).resolves.toBeUndefined();
  await expect(flushTree(directory, AbortSignal.abort(new Error('Over.')), program)).rejects.toThrow('Over.');
  await expect(flushTree(join(directory, 'gone'), AbortSignal.any([]), program)).rejects.toThrow('ENOENT');
});
