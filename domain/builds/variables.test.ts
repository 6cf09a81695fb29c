import { expect, test } from 'vitest';
import { givenToBuild, isOfSandbox, mostVariableBytes } from './variables.ts';

const plain = (value: string) => ({ value, secret: false });

test('names of the sandbox stay its own, those of tools are given', () => {
  const own = [
    'PATH',
    'HOME',
    'TMPDIR',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'https_proxy',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'REQUESTS_CA_BUNDLE',
    'JAVA_TOOL_OPTIONS',
  ];
  expect(own.filter((name) => !isOfSandbox(name))).toEqual([]);
  const given = [
    'CI',
    'NODE_ENV',
    'NODE_OPTIONS',
    'npm_config_legacy_peer_deps',
    'NPM_TOKEN',
    'OLD_PATH',
    'MY_HOME',
    'BUILD_PATH',
  ];
  expect(given.filter(isOfSandbox)).toEqual([]);
  expect(['a b', 'A=B', '', 'A\n', '1A', 'A;id'].filter((name) => !isOfSandbox(name))).toEqual([]);
});

test('secret ones are named, and what is left out is said with its name and without its value', () => {
  const given = givenToBuild(
    new Map([
      ['B', { value: 'hidden', secret: true }],
      ['A', plain('1')],
      ['PATH', plain('/x')],
    ]),
  );
  expect(given).toEqual({
    variables: { A: '1', B: 'hidden' },
    secrets: ['B'],
    left: [expect.stringMatching(/^PATH is/)],
  });
});

test('of too many bytes the largest are left out', () => {
  const all = new Map(Array.from({ length: 20 }, (_, number) => [`V${number}`, plain('x'.repeat(60_000 + number))]));
  const { variables, left } = givenToBuild(new Map([...all, ['HUGE', plain('x'.repeat(131_072))]]));
  const bytes = Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0);
  expect(bytes).toBeLessThanOrEqual(mostVariableBytes);
  expect(Object.keys(variables)).toHaveLength(17);
  expect(left.map((line) => line.split(' ')[0])).toEqual(['HUGE', 'V17', 'V18', 'V19']);
});
