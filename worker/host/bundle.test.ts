import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { descriptors } from '../../workflows/descriptors.ts';
import { workflowBundle } from './bundle.ts';

test('a bundle is made once for all homes of a checkout, readable by us alone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-bundle-'));
  const [shared, cache] = [join(directory, 'shared'), join(directory, 'own')];
  const { code } = await workflowBundle({ cache, shared });
  for (const { workflow } of Object.values(descriptors)) expect(code).toContain(`async function ${workflow}(`);
  expect(mapOf(code)).toEqual({
    sources: expect.arrayContaining([expect.stringMatching(/workflows\/deletion\/workflow\.ts$/)]),
    mappings: expect.stringMatching(/^.{10000}/),
    sourcesContent: undefined,
  });
  const [file = '', ...others] = await readdir(shared);
  expect(others).toEqual([]);
  expect((await stat(join(shared, file))).mode & 0o777).toBe(0o600);
  await writeFile(join(shared, file), 'kept');
  expect(await workflowBundle({ cache, shared })).toEqual({ code: 'kept' });
  await rm(directory, { recursive: true });
});

function mapOf(code: string): Record<string, unknown> {
  const map = code.slice(code.lastIndexOf(';base64,') + ';base64,'.length);
  const { sources, mappings, sourcesContent } = JSON.parse(Buffer.from(map, 'base64').toString());
  return { sources, mappings, sourcesContent };
}
