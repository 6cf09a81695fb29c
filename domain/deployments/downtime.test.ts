import { expect, test } from 'vitest';
import { defaultProcess, emptyDefinition, type ServiceSettings, type VolumeSettings } from '../services/settings.ts';
import { withVolumes } from '../services/volumes.ts';
import { isAccepted, isReplaced, stopsOf } from './downtime.ts';

const data: VolumeSettings = { name: 'data', mountPath: '/data', sizeBytes: 1, storageClass: '' };
const settings = (volumes: Record<string, VolumeSettings>, more: object = {}): ServiceSettings => ({
  ...emptyDefinition,
  processes: { p1: withVolumes({ ...defaultProcess, name: 'web', ...more }, volumes) },
});
const having = settings({ v1: data });

test('a process that keeps a volume is down for a moment', () => {
  expect(stopsOf(having, having)).toEqual([{ process: 'web', volumes: [{ id: 'v1', name: 'data' }] }]);
  const more = settings({ v1: data, v2: { ...data, name: 'logs', mountPath: '/logs' } });
  expect(stopsOf(having, more)).toEqual([{ process: 'web', volumes: [{ id: 'v1', name: 'data' }] }]);
});

test('one that gets its first volume, loses its last one, or does not run, is not', () => {
  expect(stopsOf(settings({}), having)).toEqual([]);
  expect(stopsOf(having, settings({}))).toEqual([]);
  expect(stopsOf(having, settings({ v2: data }))).toEqual([]);
  expect(stopsOf(having, { ...having, processes: {} })).toEqual([]);
  const none = settings({ v1: data }, { replicas: 0 });
  expect(stopsOf(none, none)).toEqual([]);
  expect(stopsOf(none, having)).toHaveLength(1);
});

test('settings replace instances by more than replicas and sizes', () => {
  expect(isReplaced(having, settings({ v1: { ...data, sizeBytes: 9 } }, { replicas: 0 }))).toBe(false);
  expect(isReplaced(having, settings({ v1: { ...data, mountPath: '/srv' } }))).toBe(true);
  expect(isReplaced(having, settings({ v1: data }, { port: 9 }))).toBe(true);
});

test('acceptance is of volumes: one more is asked about', () => {
  const stops = stopsOf(having, having);
  expect(isAccepted(stops, [])).toBe(false);
  expect(isAccepted(stops, ['v1'])).toBe(true);
  const two = settings({ v1: data, v2: { ...data, name: 'logs', mountPath: '/logs' } });
  expect(isAccepted(stopsOf(two, two), ['v1'])).toBe(false);
});
