import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { appLayer } from './layers.ts';

let source: string;
beforeEach(() => {
  source = temporaryFolder();
  mkdirSync(join(source, 'dist'));
  writeFileSync(join(source, 'dist/index.js'), 'built');
  writeFileSync(join(source, 'notes'), '');
});

/** The files of the layer; of a link with where it leads. */
async function layerOf(keep: string[], drop: string[] = [], below = ''): Promise<string[]> {
  const entries = extract();
  const most = { bytes: 2 ** 20, files: 100 };
  const packed = appLayer(source, { directory: '', keep, drop }, { below, most, left: () => undefined });
  packed.once('error', (error) => entries.destroy(error));
  packed.pipe(entries);
  const found: string[] = [];
  for await (const entry of entries) {
    const { name, type, linkname } = entry.header;
    if (type !== 'directory') found.push(type === 'symlink' ? `${name} -> ${linkname}` : name);
    entry.resume();
  }
  return found;
}

test('what the plan keeps is beneath the application, and what it drops is left out', async () => {
  expect(await layerOf([''], ['notes'])).toEqual(['app/dist/index.js']);
  expect(await layerOf(['dist'])).toEqual(['app/dist/index.js']);
  expect(await layerOf(['dist'], [], 'public')).toEqual(['app/public/index.js']);
});

test('links lead to the same file in the image, or the build is refused', async () => {
  symlinkSync('/build/dist/index.js', join(source, 'dist/absolute'));
  symlinkSync('index.js', join(source, 'dist/relative'));
  expect(await layerOf([''], ['notes'])).toEqual([
    'app/dist/absolute -> index.js',
    'app/dist/index.js',
    'app/dist/relative -> index.js',
  ]);
  symlinkSync('/etc/shadow', join(source, 'shadow'));
  await expect(layerOf([''])).rejects.toThrow('"shadow" is a link to "/etc/shadow", which is not in the image');
  symlinkSync('../notes', join(source, 'dist/away'));
  await expect(layerOf(['dist'])).rejects.toThrow('which is not in the image');
});

test('a result that was not made, or lies elsewhere, is refused', async () => {
  symlinkSync('/etc', join(source, 'etc'));
  await expect(layerOf(['etc'])).rejects.toThrow('leads out of the source');
  await expect(layerOf(['out'])).rejects.toThrow('The build has not made "out"');
  await expect(layerOf(['../x'])).rejects.toThrow('is no path within the source');
});
