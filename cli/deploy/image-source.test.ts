import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageSource, nameOf, refuseDockerfile } from './image-source.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-image-'));
  for (const [folder, file] of [
    ['web-shop', 'package.json'],
    ['web-shop/.image', 'index.json'],
    ['go', 'Dockerfile'],
    ['nothing', 'notes.txt'],
  ] as const) {
    mkdirSync(join(directory, folder), { recursive: true });
    writeFileSync(join(directory, folder, file), '{}');
  }
  writeFileSync(join(directory, 'saved.tar.gz'), '');
});
afterAll(() => rmSync(directory, { recursive: true }));

test('an image is a folder, a layout, an archive, a tag of Docker or a reference of a registry', () => {
  const named = (word: string) => {
    const source = imageSource(word);
    return [source.kind, nameOf(source)];
  };
  expect(named(join(directory, 'web-shop'))).toEqual(['folder', 'web-shop']);
  expect(named(join(directory, 'web-shop', '.image'))).toEqual(['layout', 'web-shop']);
  expect(named(join(directory, 'saved.tar.gz'))).toEqual(['archive', 'saved']);
  expect(named('shop:1.2')).toEqual(['docker', 'shop']);
  expect(named('team/shop')).toEqual(['docker', 'shop']);
  expect(named('docker:registry.example.com/shop:2')).toEqual(['docker', 'shop']);
  expect(named('registry.example.com/team/shop:1.2')).toEqual(['registry', 'shop']);
  expect(named(`localhost:5000/shop:1@sha256:${'a'.repeat(64)}`)).toEqual(['registry', 'shop']);
});

test('a path that is not there, or that cannot be deployed, is refused with what helps', () => {
  expect(() => imageSource('./nowhere')).toThrow('./nowhere is not there.');
  expect(() => imageSource('registry.example.com/shop@sha256:abc')).toThrow('is no image of a registry');
  expect(() => imageSource(join(directory, 'nothing'))).toThrow('Nothing that can be built was found');
  const source = imageSource(join(directory, 'go'));
  expect(source).toMatchObject({ kind: 'folder', dockerfile: true });
  expect(() => refuseDockerfile(source)).toThrow('Build it by `docker build`, and name the tag');
});
