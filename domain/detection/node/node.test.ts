import { expect, test } from 'vitest';
import { treeOf } from '../../../test/kinds/tree-of.ts';
import { detect } from '../detect.ts';

const json = (value: unknown): string => JSON.stringify(value);

test.each([
  ['an array', '[]'],
  ['a text', '"next"'],
  ['null', 'null'],
  ['no JSON', '{"scripts": '],
  ['nothing', ''],
  ['nested deeper than can be parsed', '['.repeat(200_000)],
])('a package.json that is %s is refused by its name', (_, text) => {
  expect(detect(treeOf({ 'package.json': text })).message).toBe(
    'package.json is not a JSON object, or larger than 256 kB: correct it.',
  );
});

test('fields of a package.json that have another form than theirs are as if they were not there', () => {
  const odd = {
    name: 7,
    scripts: [1],
    dependencies: 'next',
    devDependencies: ['next'],
    workspaces: { packages: [{}] },
    engines: 'node',
  };
  const { detected, message } = detect(
    treeOf({ 'package.json': json({ ...odd, packageManager: {}, volta: [], main: 3 }) }),
  );
  expect(detected.buildable).toBe(false);
  expect(message).toContain('package.json has no script');
  expect(
    detect(treeOf({ 'package.json': json({ ...odd, scripts: { start: { a: 1 }, build: 'x' } }) })).message,
  ).not.toBe('');
});

test('packages of a workspace that need each other in a circle are built once each', () => {
  const member = (name: string, needs: string, more: object = {}) =>
    json({ name, dependencies: { [needs]: '*', express: '5' }, scripts: { build: 'tsc' }, ...more });
  const source = treeOf({
    'package.json': json({ workspaces: ['packages/*'] }),
    'package-lock.json': '',
    'packages/a/package.json': member('a', 'b', { scripts: { build: 'tsc', start: 'node a.js' } }),
    'packages/b/package.json': member('b', 'c'),
    'packages/c/package.json': member('c', 'a'),
  });
  expect(detect(source, 'packages/a').detected.buildCommand).toBe(
    ['c', 'b', 'a'].map((name) => `npm run build --workspace packages/${name}`).join(' && '),
  );
});

test.each(['npm', 'yarn', 'pnpm', 'bun'])('%s builds what a package without a build of its own needs', (name) => {
  const source = treeOf({
    'package.json': json({ workspaces: ['*'], packageManager: `${name}@4.0.0` }),
    'words/package.json': json({ name: 'words', scripts: { build: 'tsc' } }),
    'web/package.json': json({ name: 'web', dependencies: { words: '*' }, scripts: { start: 'node web.js' } }),
    'alone/package.json': json({ name: 'alone', scripts: { start: 'node alone.js' } }),
  });
  const build = { npm: '--workspace words', yarn: 'workspace words', pnpm: '--filter web...', bun: '--filter words' }[
    name
  ];
  expect(detect(source, 'web').detected.buildCommand).toContain(build);
  expect(detect(source, 'web').plan).toMatchObject({ directory: '', startIn: 'web', start: `${name} run start` });
  expect(detect(source, 'alone').detected.buildCommand).toBe('');
});

test.each([
  ['', 'yarn install --no-immutable', 'node-modules'],
  ['nodeLinker: pnp\n', 'yarn install --no-immutable', 'node-modules'],
  ['nodeLinker: "pnpm"\n', 'yarn install --no-immutable', undefined],
])('Yarn with the settings %j', (text, install, linker) => {
  const found = detect(
    treeOf({
      '.yarnrc.yml': text,

      'package.json': json({ packageManager: 'yarn@4.10.3', scripts: { start: 'node .' } }),
    }),
  );
  expect(found.detected.installCommand).toBe(install);
  expect(found.plan?.environment.YARN_NODE_LINKER).toBe(linker);
});

test('scripts that call each other in a circle, and one of a megabyte, start nothing', () => {
  const circle = { start: 'npm run serve', serve: 'npm run start', build: 'npm run build' };
  expect(
    detect(treeOf({ 'package.json': json({ scripts: circle, dependencies: { express: '5' } }) })).detected.startCommand,
  ).toBe('npm run start');
  const long = json({ scripts: { start: `node ${'a'.repeat(200_000)}`, dev: `vite ${' -'.repeat(4_000)}` } });
  const { detected, message } = detect(treeOf({ 'package.json': long }));
  expect([detected.buildable, message.length < 400]).toEqual([false, true]);
  expect(detect(treeOf({ 'package.json': json({ scripts: { start: 'x'.repeat(1_000_000) } }) })).message).toContain(
    'larger than 256 kB',
  );
});

test('a lockfile of one manager and the pin of another: the pin counts, and a signal says so', () => {
  const { detected } = detect(
    treeOf({
      'package.json': json({ packageManager: 'npm@10.9.0', scripts: { start: 'node .' } }),
      'pnpm-lock.yaml': '',
    }),
  );
  expect(detected).toMatchObject({ packageManager: 'npm', installCommand: 'npm install --include=dev' });
  expect(detected.signals).toContainEqual({
    path: 'pnpm-lock.yaml',
    detail: 'A lockfile of pnpm, too: npm is used, since the pinned one counts',
  });
});

test.each([
  'vite',
  'next dev',
  'nodemon server.ts',
  'ts-node-dev src',
  'webpack serve',
  'node --watch app.ts',
  'vite preview',
  'cross-env A=1 vite --host',
])('a start of `%s` is none', (start) => {
  const { detected, message } = detect(
    treeOf({ 'package.json': json({ scripts: { start }, dependencies: { express: '5' } }) }),
  );
  expect(detected.buildable).toBe(false);
  expect(message).toContain('which is for development');
});

test.each([
  ['next start -p 4100', 4100],
  ['next start --port=4200', 4200],
  ['cross-env PORT=4300 node server.js', 4300],
  ['next start', 3000],
])('`%s` listens on %i', (start, port) => {
  const { detected, plan } = detect(
    treeOf({ 'package.json': json({ scripts: { build: 'next build', start }, dependencies: { next: '15' } }) }),
  );
  expect([detected.port, plan?.port]).toEqual([port, port]);
  expect(detected.portSource).toBe(port === 3000 ? 'framework' : 'script');
});

test.each([
  ['v20.11.1', '20.11.1'],
  ['lts/*', '24'],
  ['lts/iron', '20'],
  ['>=18', '24'],
  ['>=18 <21', '20'],
  ['^18.17 || ^20', '20'],
  ['20.x', '20'],
  ['12 - 15', '14'],
  ['nonsense', ''],
])('Node %s is %s', (said, version) => {
  const { detected, plan } = detect(
    treeOf({ 'package.json': json({ engines: { node: said }, scripts: { start: 'node .' } }) }),
  );
  expect(detected.nodeVersion).toBe(version);
  expect(plan?.toolchain[0]).toEqual({ name: 'node', version, demand: { text: said, path: 'package.json' } });
});

test('pages beside a package.json that says nothing are served as they are; beside one that starts something they are not', () => {
  const kind = (manifest: object) =>
    detect(treeOf({ 'index.html': '<h1>Shop</h1>', 'package.json': JSON.stringify(manifest) })).detected.provider;
  expect(kind({ name: 'shop' })).toBe('static');
  for (const more of [{ scripts: { dev: 'vite' } }, { devDependencies: { vite: '8' } }])
    expect(kind({ name: 'shop', ...more })).not.toBe('static');
});
