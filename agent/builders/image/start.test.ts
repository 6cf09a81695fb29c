import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { entrypointOf } from './start.ts';

const directory = temporaryFolder();
const write = (path: string, content: string, mode = 0o644) => {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
  chmodSync(join(directory, path), mode);
};
const scripts = {
  ...{
    start: 'node server.js --all',
    web: 'npm run start',
    next: 'next start',
    prepared: 'node b.js',
    preprepared: 'node a.js',
  },
  ...{ set: 'NODE_ENV=test node server.js', 'start:prod': 'pnpm start' },
};
write('package.json', JSON.stringify({ scripts }));
write('node_modules/next/dist/next.js', '#!/usr/bin/env node\n', 0o755);
write('node_modules/.bin/wrapped', '#!/bin/sh\n', 0o755);
write('server', '\x7fELF', 0o755);
symlinkSync('../next/dist/next.js', join(directory, 'node_modules/.bin/next'));

const node = '/usr/local/bin/node';
test.each([
  ['node server.js', [node, 'server.js']],
  ['npm run start', [node, 'server.js', '--all']],
  ['npm start -- --port 1', [node, 'server.js', '--all', '--port', '1']],
  ['yarn web', [node, 'server.js', '--all']],
  ['pnpm run start:prod', [node, 'server.js', '--all']],
  ['npm run next', [node, 'node_modules/next/dist/next.js', 'start']],
  ['node_modules/.bin/next start', [node, 'node_modules/next/dist/next.js', 'start']],
  ['./server --port 80', ['./server', '--port', '80']],
])('%s is started without a shell', (line, words) => {
  expect(entrypointOf(line, directory)).toEqual(words);
});

test.each([
  ['wrapped go', /&& exec wrapped go$/],
  ['npm run prepared', /&& node a\.js && node b\.js$/],
  ['npm run set', /&& NODE_ENV=test exec node server\.js$/],
  ['node "a b.js"', /&& node "a b\.js"$/],
])('%s needs the shell', (line, script) => {
  const [shell, option, text] = entrypointOf(line, directory);
  expect([shell, option]).toEqual(['/bin/sh', '-c']);
  expect(text).toMatch(script);
});

write('apps/web/package.json', JSON.stringify({ scripts: { start: 'next start', all: 'A=1 next start' } }));
test.each([
  ['npm run start', [node, '../../node_modules/next/dist/next.js', 'start']],
  ['npx next start', [node, '../../node_modules/next/dist/next.js', 'start']],
  ['node server.js', [node, 'server.js']],
])('%s is started in the folder of its package', (line, words) => {
  expect(entrypointOf(line, directory, 'apps/web')).toEqual(words);
});

test('a package below finds the programs of the packages above', () => {
  const [, , text] = entrypointOf('npm run all', directory, 'apps/web');
  expect(text).toMatch(/^PATH="\$PWD\/\.\.\/\.\.\/\.\.\/usr\/local\/bin:.*:\$PWD\/\.\.\/\.\.\/node_modules\/\.bin:/);
  symlinkSync('/etc', join(directory, 'apps/out'));
  for (const folder of ['apps/out', 'apps/none', '../..'])
    expect(() => entrypointOf('node .', directory, folder)).toThrow(/no folder of the image/);
});

test('a shell finds the Node of the image, wherever that lies', () => {
  const root = join(directory, 'image');
  write('image/usr/local/bin/node', '#!/bin/sh\necho own node "$@"\n', 0o755);
  mkdirSync(join(root, 'app'), { recursive: true });
  const [shell = '', ...words] = entrypointOf('A=1 node x', directory);
  expect(execFileSync(shell, words, { cwd: join(root, 'app'), env: { PATH: '/usr/bin:/bin' } }).toString()).toBe(
    'own node x\n',
  );
});
