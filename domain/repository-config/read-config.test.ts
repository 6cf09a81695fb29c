import { describe, expect, test } from 'vitest';
import { emptyEffective } from './effective.ts';
import { configFor, configPaths } from './overlay.ts';
import { parseRepositoryConfig, readConfig } from './parse.ts';
import { problemLine, summaryOf } from './summary.ts';

test.each<[string, string[], string[]]>([
  ['', ['ballast.yaml'], ['ballast.yaml']],
  ['', ['ballast.yml'], ['ballast.yml']],
  ['', ['.ballast.yml', 'Ballast.yaml', 'x/ballast.yaml'], []],
  ['./apps//web/', ['ballast.yaml', 'apps/web/ballast.yml'], ['apps/web/ballast.yml']],
  ['apps/web', ['ballast.yaml', 'apps/ballast.yaml'], ['ballast.yaml']],
  ['', ['ballast.yml', 'ballast.yaml'], ['ballast.yaml', 'ballast.yml']],
])('in the context %j of %j the file is %j', (context, there, wanted) => {
  expect(configPaths(context, (path) => there.includes(path))).toEqual(wanted);
});

describe('readConfig', () => {
  const reading = (paths: string[], text?: string) => readConfig(paths, () => text);

  test('without a file', () => {
    expect(reading([])).toMatchObject({ status: 'absent', path: '', message: '', problems: [] });
  });

  test('with one that can be used', () => {
    expect(reading(['ballast.yaml'], 'target: a')).toMatchObject({ status: 'ok', path: 'ballast.yaml', message: '' });
    expect(reading(['ballast.yaml'], 'databases: [sqldb]').message).toMatch(/are listed and not created/);
  });

  test.each([
    [
      ['a/ballast.yaml'],
      'env:\n  A:\nx: y',
      'a/ballast.yaml cannot be used at line 2: env.A: must be a text; write "" for an empty one. (and 1 more) Correct the file, then push it.',
    ],
    [
      ['ballast.yaml'],
      undefined,
      'ballast.yaml cannot be used: The file is no text, or larger than 24 KiB. Correct the file, then push it.',
    ],
    [
      ['ballast.yaml', 'ballast.yml'],
      '',
      'ballast.yaml cannot be used: ballast.yml is beside it: keep one of the two. Correct the file, then push it.',
    ],
  ])('with %j of %j', (paths, text, message) => {
    expect(reading(paths, text)).toMatchObject({ status: 'invalid', message });
  });
});

describe('configFor', () => {
  const file = (text: string) => parseRepositoryConfig(text);

  test('a service without a section has what is at the top', () => {
    expect(configFor(file('target: a\nservices: {api: {}}'), 'web')).toEqual({
      context: '',
      effective: { ...emptyEffective, builder: 'dockerfile', target: 'a' },
    });
  });

  test('keys of a section replace those at the top; variables and arguments one by one', () => {
    const text = `
dockerfile: Dockerfile.all
env: {A: top, B: top}
buildArgs: {X: top}
releaseCommand: [top]
releaseCommandTimeoutSeconds: 5
dependsOn: [api, db]
processes: {web: {port: 80}}
services:
  api: {context: apps/api, target: api, env: {B: own}, buildArgs: {Y: own}, processes: {main: {}}}
  site: {builder: auto, releaseCommand: [own], releaseCommandTimeoutSeconds: 9, dependsOn: [api]}
`;
    const config = file(text);
    expect(config.problems).toEqual([]);
    const api = configFor(config, 'api');
    expect(api.context).toBe('apps/api');
    expect(api.effective).toMatchObject({
      ...{ builder: 'dockerfile', dockerfile: 'Dockerfile.all', target: 'api', dependsOn: ['db'] },
      ...{ env: { A: 'top', B: 'own' }, buildArgs: { X: 'top', Y: 'own' }, releaseCommand: ['top'] },
      ...{ releaseCommandTimeoutSeconds: 5, hasProcesses: true, processes: [{ name: 'main' }] },
    });
    expect(configFor(config, 'site').effective).toMatchObject({
      ...{ builder: 'auto', dockerfile: '', target: '', releaseCommand: ['own'], releaseCommandTimeoutSeconds: 9 },
      ...{ dependsOn: ['api'], processes: [{ name: 'web' }] },
    });
  });
});

test('a summary is one sentence', () => {
  const sums = (text: string) => summaryOf(parseRepositoryConfig(text).base);
  expect(sums('')).toBe('The file sets nothing for this service.');
  expect(sums('target: a')).toBe('The file sets the Dockerfile, stage a.');
  expect(
    sums('builder: auto\nenv: {A: b, C: d}\nprocesses: {web: {}, x: {}}\nreleaseCommand: [a]\ndependsOn: [a]'),
  ).toBe(
    'The file sets a build without a Dockerfile, 2 processes (web, x), 2 variables, a release command and 1 dependency.',
  );
});

test('a problem is one line of a log', () => {
  expect(problemLine('ballast.yaml', { line: 3, path: 'env.A', message: 'is wrong.' })).toBe(
    'ballast.yaml:3: env.A: is wrong.',
  );
  expect(problemLine('ballast.yaml', { line: 0, path: '', message: 'Is wrong.' })).toBe('ballast.yaml: Is wrong.');
});
