import { expect, test } from 'vitest';
import { defaultProcess, emptyDefinition, type PlacedProcess, type ServiceSettings } from '../services/settings.ts';
import { driftItems } from './drift.ts';

const process = (more: Partial<PlacedProcess> = {}): PlacedProcess => ({ ...defaultProcess, name: 'web', ...more });
const settings = (more: Partial<ServiceSettings> = {}): ServiceSettings => ({
  ...emptyDefinition,
  processes: { p: process() },
  ...more,
});
const volume = (name: string, sizeBytes: number) => ({ name, mountPath: `/${name}`, sizeBytes, storageClass: '' });
const items = (live: ServiceSettings, applied: ServiceSettings, more: object = {}) =>
  driftItems({
    ...{ service: 'shop', live: { settings: live, image: 'a' }, applied: { settings: applied, image: 'a' } },
    ...{ variables: [], ...more },
  });
const labels = (...of: Parameters<typeof items>) => items(...of).map(({ label }) => label);

test('nothing where both are the same', () => {
  expect(items(settings(), settings())).toEqual([]);
});

test('each setting, file, process and volume that differs is one change, in words and with both values', () => {
  const live = settings({
    files: [
      { path: 'a.yml', variable: 'A' },
      { path: 'b.yml', variable: 'B' },
    ],
    processes: {
      p: process({ port: 80, volumes: { v: volume('data', 1), w: volume('old', 1) } }),
      q: process({ name: 'q' }),
    },
  });
  const applied = settings({
    releaseCommand: ['migrate'],
    files: [{ path: 'a.yml', variable: 'C' }],
    processes: {
      p: process({ replicas: 3, volumes: { v: volume('data', 2), x: volume('new', 1) } }),
      r: process({ name: 'r' }),
    },
  });
  expect(items(live, applied).map(({ kind, label, from, to }) => [kind, label, from, to])).toEqual([
    ['service.set', 'Release command of shop', [], ['migrate']],
    ['file.set', 'File a.yml', 'A', 'C'],
    ['file.unset', 'File b.yml', 'B', undefined],
    ['process.set', 'Port of web', 80, 8080],
    ['process.set', 'Replicas of web', 1, 3],
    ['volume.grow', 'Size of the volume data', 1, 2],
    ['volume.create', 'Volume new of web', undefined, volume('new', 1)],
    ['volume.delete', 'Volume old of web', volume('old', 1), undefined],
    ['process.delete', 'Process q', undefined, undefined],
    ['process.create', 'Process r', undefined, undefined],
  ]);
});

test('replicas are compared with those that run, which a rollback leaves as they are', () => {
  const applied = settings({ processes: { p: process({ replicas: 3 }) } });
  expect(labels(settings(), applied)).toEqual(['Replicas of web']);
  expect(labels(settings(), applied, { running: new Map([['web', 3]]) })).toEqual([]);
});

test('the same tag that means another image is a change; a changed source says that already', () => {
  const other = { applied: { settings: settings(), image: 'b' } };
  expect(items(settings(), settings(), other)).toMatchObject([{ kind: 'image.set', from: 'a', to: 'b' }]);
  const source = { ...emptyDefinition.source, imageRepository: ':2' };
  const changed = { applied: { settings: settings({ source }), image: 'b' } };
  expect(labels(settings(), settings(), changed)).toEqual(['Source of shop']);
});

test('values of secrets are left out', () => {
  const variables = [
    { key: 'A', from: '1', to: '2', set: true, secret: false },
    { key: 'S', from: 'old', to: 'new', set: true, secret: true },
    { key: 'U', from: '1', set: false, secret: false },
  ];
  expect(items(settings(), settings(), { variables })).toEqual([
    { kind: 'variable.set', key: 'A', label: 'Variable A', from: '1', to: '2', secret: false },
    { kind: 'variable.set', key: 'S', label: 'Variable S', from: undefined, to: undefined, secret: true },
    { kind: 'variable.unset', key: 'U', label: 'Variable U', from: '1', to: undefined, secret: false },
  ]);
});
