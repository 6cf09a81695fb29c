import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workflowBundle } from './bundle.ts';

test('a checkout that cannot be written leaves the bundle to the home, and one with tracing is another', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-bundle-'));
  const [readOnly, cache] = [join(directory, 'a file'), join(directory, 'own')];
  await writeFile(readOnly, 'kept');
  const made = await workflowBundle({ cache, shared: readOnly, tracing: true });
  expect(made.code).toContain('async function deletion(');
  const [own = ''] = await readdir(cache);
  await writeFile(join(cache, own), 'of its own');
  expect(await workflowBundle({ cache, shared: readOnly, tracing: true })).toEqual({ code: 'of its own' });
  expect((await workflowBundle({ cache, shared: readOnly })).code).not.toBe('of its own');
  await rm(directory, { recursive: true });
});
