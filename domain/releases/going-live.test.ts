import { expect, test } from 'vitest';
import { emptyEffective, type FrozenConfig, type RepositoryConfigEffective } from '../repository-config/effective.ts';
import { defaultProcess, emptyDefinition, type ReleaseContent } from '../services/settings.ts';
import { goingLive } from './going-live.ts';

const web = { ...defaultProcess, name: 'web', port: 8080 };
const file = (effective: Partial<RepositoryConfigEffective>): FrozenConfig => ({
  path: 'ballast.yaml',
  commit: 'c'.repeat(40),
  effective: { ...emptyEffective, ...effective },
});
const content = (more: Partial<ReleaseContent> = {}): ReleaseContent => ({
  settings: { ...emptyDefinition, processes: { p1: web } },
  image: { repository: 'app', digest: 'sha256:1', own: false },
  variables: {},
  ...more,
});
const told = (live: ReleaseContent, next: ReleaseContent) =>
  goingLive('Web', live, next).map(({ label, from, to }) => [label, from, to]);

test('nothing is told of what stays, of images and of replicas', () => {
  const other = content({
    settings: { ...emptyDefinition, processes: { p1: { ...web, replicas: 9 } } },
    image: { repository: 'app', digest: 'sha256:2', own: false },
  });
  expect(told(content(), other)).toEqual([]);
  expect(told(content(), content({ file: file({}) }))).toEqual([]);
});

test('what a file changes is told with both values, and so are settings that were applied since', () => {
  const process = {
    ...{ name: 'web', kind: '' as const, entrypoint: ['/bin/sh'], cmd: ['-c', 'evil'], schedule: '' },
    ...{ checks: { startup: '', readiness: '', liveness: '' }, cpu: {}, memory: {}, metrics: { path: '' } },
  };
  const before = content({ file: file({ env: { LEVEL: 'one', GONE: 'x', OWN: 'file' } }) });
  const after = content({
    settings: { ...emptyDefinition, releaseCommandTimeoutSeconds: 61, processes: { p1: web } },
    variables: { OWN: 'of the service' },
    file: file({
      ...{ env: { LEVEL: 'two', EMPTY: '' }, releaseCommand: ['migrate'], processes: [process] },
      hasProcesses: true,
    }),
  });
  expect(goingLive('Web', before, after)).toContainEqual(
    expect.objectContaining({ kind: 'variable.set', key: 'EMPTY', from: '', to: '""', toEmpty: true, secret: false }),
  );
  const changes = told(before, after);
  expect(changes).toHaveLength(7);
  expect(changes).toEqual(
    expect.arrayContaining([
      [expect.stringContaining('Release command'), '[]', '["migrate"]'],
      [expect.stringContaining('Time for the release command'), expect.any(String), '61'],
      [expect.stringContaining('Command'), '[]', '["/bin/sh"]'],
      [expect.stringContaining('Arguments'), '[]', '["-c","evil"]'],
      [expect.stringContaining('LEVEL'), '"one"', '"two"'],
      [expect.stringContaining('GONE'), '"x"', ''],
    ]),
  );
});

test('a process that only the file has comes with all that it runs, and goes', () => {
  const nightly = {
    ...{ name: 'nightly', kind: 'cron' as const, entrypoint: ['n'], cmd: [], schedule: '0 3 * * *' },
    ...{ checks: { startup: '', readiness: '', liveness: '' }, cpu: {}, memory: {}, metrics: { path: '' } },
  };
  const withIt = content({ file: file({ processes: [nightly], hasProcesses: true }) });
  expect(goingLive('Web', content(), withIt)).toMatchObject([
    { kind: 'process.create', label: 'Process nightly', from: '', to: '' },
    { kind: 'process.set', label: 'Kind of nightly', from: '"http"', to: '"cron"' },
    { kind: 'process.set', label: 'Command of nightly', from: '[]', to: '["n"]' },
    { kind: 'process.set', label: 'Schedule of nightly', from: '""', to: '"0 3 * * *"' },
  ]);
  expect(goingLive('Web', withIt, content())).toMatchObject([{ kind: 'process.delete' }]);
});
