import { expect, test } from 'vitest';
import { processFaults } from '../services/process-faults.ts';
import { defaultProcess, emptyDefinition, type PlacedProcess, type ReleaseContent } from '../services/settings.ts';
import { effectiveContent, withFile } from './overlay.ts';
import { parseRepositoryConfig } from './parse.ts';

const web: PlacedProcess = { ...defaultProcess, name: 'web', replicas: 3, command: ['old'], args: ['of old'] };
const settings = { ...emptyDefinition, releaseCommand: ['own'], dependsOn: ['db'], processes: { 'id-of-web': web } };
const file = (text: string) => {
  const { base: effective, problems } = parseRepositoryConfig(text);
  expect(problems).toEqual([]);
  return { path: 'ballast.yaml', commit: 'c'.repeat(40), effective };
};
const over = (text: string) => withFile(settings, file(text));

test('without a file, and with one that says nothing, settings stay as they are', () => {
  expect(withFile(settings, undefined)).toBe(settings);
  expect(over('')).toEqual(settings);
});

test('the file counts where it says something, and today counts for replicas', () => {
  const text = `
releaseCommand: [node, migrate.js]
releaseCommandTimeoutSeconds: 9
dependsOn: [db, api]
processes:
  web: {port: 3000, replicas: 1, checks: {readiness: /up}, memory: {limit: 64Mi}, cmd: [new]}
  jobs: {kind: worker, replicas: 2, entrypoint: [node, jobs.js]}
  nightly: {kind: cron, schedule: 0 3 * * *}
`;
  const { processes, ...rest } = over(text);
  expect(rest).toMatchObject({
    ...{ releaseCommand: ['node', 'migrate.js'], releaseCommandTimeoutSeconds: 9, dependsOn: ['db', 'api'] },
  });
  expect(processes).toEqual({
    'id-of-web': {
      ...{ ...web, port: 3000, replicas: 3, readinessPath: '/up', memoryLimitBytes: 67_108_864, args: ['new'] },
    },
    'file:jobs': expect.objectContaining({ name: 'jobs', kind: 'worker', replicas: 2, command: ['node', 'jobs.js'] }),
    'file:nightly': expect.objectContaining({ name: 'nightly', kind: 'cron', schedule: '0 3 * * *', replicas: 1 }),
  });
  expect(processes['file:jobs']?.port).toBeUndefined();
});

test('a program that is named alone does not get the arguments of another', () => {
  expect(over('processes: {web: {entrypoint: [node, a.js]}}').processes['id-of-web']).toMatchObject({
    ...{ command: ['node', 'a.js'], args: [] },
  });
});

test.each([
  ['cron', { schedule: '0 3 * * *' }, 'kind: http', { kind: 'http', schedule: '', port: 8080 }],
  ['worker', {}, 'kind: tcp', { kind: 'tcp', port: 8080 }],
  ['http', { port: 80 }, 'kind: cron, schedule: 0 3 * * *', { kind: 'cron', schedule: '0 3 * * *' }],
  ['http', { port: 80 }, 'kind: worker', { kind: 'worker' }],
] as const)('of a process of kind %s the file makes another kind: %j, %j', (kind, more, text, wanted) => {
  const { port: _, ...rest } = web;
  const before = { ...settings, processes: { x: { ...rest, ...more, kind } } };
  const process = withFile(before, file(`processes: {web: {${text}}}`)).processes.x;
  expect(process).toMatchObject(wanted);
  expect(process && processFaults(process)).toEqual([]);
});

test('variables of the file lie beneath those of the release', () => {
  const content: ReleaseContent = {
    settings,
    image: { repository: 'o/p/s', digest: `sha256:${'0'.repeat(64)}`, own: true },
    variables: { LEVEL: 'own' },
  };
  expect(effectiveContent(content)).toBe(content);
  const { file: none, variables } = effectiveContent({ ...content, file: file('env: {LEVEL: file, MORE: file}') });
  expect([none, variables]).toEqual([undefined, { LEVEL: 'own', MORE: 'file' }]);
});
