import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { type BuildBody, type BuildProgress, buildProgress } from '../../../protocol/build.ts';
import { planOf } from '../docker/plan/plan.ts';
import { configured } from './repository-config.ts';

type Files = Readonly<Record<string, string | { link: string }>>;

function sourceOf(files: Files): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (typeof content === 'string') writeFileSync(join(folder, path), content);
    else symlinkSync(content.link, join(folder, path));
  }
  return folder;
}

const body: BuildBody = {
  ...{ kind: 'build', repository: 'acme/shop/api', cacheKey: 'a/b' },
  ...{ builder: 'auto', context: '', dockerfile: '', target: '', source: { kind: 'upload', sizeBytes: 0 } },
  limits: { seconds: 300, memoryBytes: 2 ** 31, diskBytes: 2 ** 31, processes: 500 },
};

function read(files: Files, more: Partial<BuildBody> = {}) {
  const told: BuildProgress[] = [];
  const lines: string[] = [];
  const telling = {
    log: { say: (line: string) => void lines.push(line) },
    tell: (one: BuildProgress) => void told.push(one),
  };
  const found = () => configured({ ...body, ...more }, sourceOf(files), telling);
  return { found, lines, told };
}

test('without a file the build is as it was asked for, and the control plane is told so', () => {
  const { found, told, lines } = read({ 'README.md': '' });
  expect(found()).toEqual({ ...body, buildArgs: {} });
  expect([told, lines]).toEqual([[{ repositoryConfig: { path: '' } }], []]);
});

test('the file counts over what was asked for, the section of the service over its top, and variables of the service over both', () => {
  const text =
    'target: all\nenv: {A: file, B: file, PATH: /nowhere}\nservices:\n  api: {context: apps/api, dockerfile: D, buildArgs: {X: 1.10}}\n';
  const { found, told, lines } = read({ 'ballast.yaml': text }, { target: 'asked', variables: { B: 'own' } });
  expect(found()).toMatchObject({
    ...{ builder: 'dockerfile', target: 'all', dockerfile: 'D', context: 'apps/api', buildArgs: { X: '1.10' } },
    variables: { A: 'file', B: 'own' },
  });
  expect(told).toEqual([{ repositoryConfig: { path: 'ballast.yaml', text } }]);
  expect(lines[0]).toBe('ballast.yaml: The file sets the Dockerfile D, stage all, 1 build argument and 3 variables.');
});

test('the file of the context goes before that of the root', () => {
  const files = { 'ballast.yaml': 'target: root', 'apps/web/ballast.yml': 'target: web' };
  expect(read(files, { context: './apps/web/' }).found()).toMatchObject({ target: 'web', context: './apps/web/' });
});

test('a file with problems ends the build: the log has each with its line', () => {
  const { found, told, lines } = read({ 'ballast.yaml': 'target: a\nprt: 1\nenv: 5\n' });
  expect(found).toThrow(
    /^ballast\.yaml cannot be used at line 2: prt: "prt" is no key here\..* \(and 1 more\) Correct the file/,
  );
  expect(lines).toEqual([
    expect.stringMatching(/^ballast\.yaml:2: prt: /),
    'ballast.yaml:3: env: must be a map of keys and values.',
  ]);
  expect(told).toHaveLength(1);
});

test.each<[string, Files, object]>([
  ['two files', { 'ballast.yaml': '', 'ballast.yml': '' }, { path: 'ballast.yaml', text: '', beside: 'ballast.yml' }],
  ['a large one', { 'ballast.yaml': `# ${'x'.repeat(30_000)}` }, { path: 'ballast.yaml' }],
  ['no text', { 'ballast.yaml': 'a\uFFFD' }, { path: 'ballast.yaml' }],
  [
    'signs of control, which would be cut on their way',
    { 'ballast.yaml': '\u0001'.repeat(20_000) },
    { path: 'ballast.yaml' },
  ],
])('%s: refused, and told so that the control plane finds the same', (_, files, wanted) => {
  const { found, told } = read(files);
  expect(found).toThrow(/cannot be used/);
  expect(told).toEqual([{ repositoryConfig: wanted }]);
  expect(buildProgress.parse(told[0])).toEqual(told[0]);
});

test('the largest file of signs that are escaped fits into a piece', () => {
  const { found, told } = read({ 'ballast.yaml': `# ${'"'.repeat(24_000)}` });
  found();
  expect(Buffer.byteLength(JSON.stringify(told[0]))).toBeLessThan(65_536);
});

test('links are none, wherever they lead', () => {
  const outside = sourceOf({ 'ballast.yaml': 'target: outside' });
  const { found } = read({ 'ballast.yaml': { link: join(outside, 'ballast.yaml') } });
  expect(found().target).toBe('');
  const through = read({ app: { link: outside } }, { context: 'app' });
  expect(through.found().target).toBe('');
});

test('arguments of the file go to a Dockerfile that declares them, over variables of that name, and to nothing else', async () => {
  const given = {
    ...{ bases: {}, cacheSecret: 'x', environment: {}, caFile: undefined, log: { say: () => {} } as never },
    ...{ mask: (text: string) => text, tell: () => {} },
  };
  const plan = async (files: Files, more: Partial<BuildBody> = {}) => {
    const source = sourceOf(files);
    const telling = { log: { say: () => {} }, tell: () => {} };
    return await planOf(configured({ ...body, ...more }, source, telling), source, given);
  };
  const file = { 'ballast.yaml': 'builder: dockerfile\nbuildArgs: {X: file}\nenv: {Y: of-env}' };
  const asked = { variables: { X: 'own', Z: 'hidden' }, secrets: ['Z'] };
  const declared = await plan({ ...file, Dockerfile: 'FROM scratch\nARG X Y Z\n' }, asked);
  expect(declared).toMatchObject({ args: { X: 'file', Y: 'of-env' }, secrets: { Z: 'hidden' } });
  await expect(plan({ ...file, Dockerfile: 'FROM scratch\n' })).rejects.toThrow(
    /buildArgs\.X .* is not declared by ARG/,
  );
  const without = { 'ballast.yaml': 'buildArgs: {X: file}', 'package.json': '{"scripts":{"start":"node a.js"}}' };
  await expect(plan(without)).rejects.toThrow(/buildArgs, and there is no Dockerfile/);
});
