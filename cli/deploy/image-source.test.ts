import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { gitSource, imageSource, nameOf, refuseDockerfile, repositoryOf } from './image-source.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-image-'));
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
  expect(named('acme/shop/web:1.2')).toEqual(['registry', 'web']);
  expect(named(':1.2')[0]).toBe('registry');
  expect(named('https://github.com/team/shop.git')).toEqual(['git', 'shop']);
  expect(named(`localhost:5000/shop:1@sha256:${'a'.repeat(64)}`)).toEqual(['registry', 'shop']);
});

test('a repository is an https address, or the full name at a connection', () => {
  const at = (url: string) => repositoryOf(gitSource({ url, connection: 'GitHub' }));
  expect([at('team/app'), at('https://github.com/team/app.git'), at('https://x.example/a/b/c/')]).toEqual([
    ...['team/app', 'team/app', 'a/b/c'],
  ]);
  expect(() => imageSource('git@github.com:team/app.git')).toThrow('a Git connection gives access to private ones');
  expect(() => gitSource({ url: 'https://x.example/app.git', context: '../up' })).toThrow('inside of the source');
});

test('of a folder with several applications one is named by its folder within', () => {
  for (const app of ['web', 'api']) {
    mkdirSync(join(directory, 'shop', 'apps', app), { recursive: true });
    writeFileSync(join(directory, 'shop', 'apps', app, 'package.json'), '{"scripts":{"start":"node ."}}');
  }
  const shop = join(directory, 'shop');
  expect(() => imageSource(shop)).toThrow('choose one as the context (--context DIR): apps/api, apps/web.');
  const source = imageSource(shop, 'apps/web');
  expect(source).toEqual({ kind: 'folder', folder: shop, context: 'apps/web' });
  expect(nameOf(source)).toBe('web');
  expect(() => imageSource(shop, 'apps/none')).toThrow('The source has no folder apps/none');
});

test('a path that is not there, or that cannot be deployed, is refused with what helps', () => {
  expect(() => imageSource('./nowhere')).toThrow('./nowhere is not there.');
  expect(() => imageSource('registry.example.com/shop@sha256:abc')).toThrow('is no image of a registry');
  expect(() => imageSource(join(directory, 'nothing'))).toThrow('Nothing that can be built was found');
  const source = imageSource(join(directory, 'go'));
  expect(source).toMatchObject({ kind: 'folder', dockerfile: true });
  expect(() => refuseDockerfile(source)).toThrow('Build it by `docker build`, and name the tag');
});
