import { expect, test } from 'vitest';
import { defaultProcess, emptyDefinition, type ServiceSettings } from '../services/settings.ts';
import { applyItems, applyVariables, type SettingsItem } from './apply-items.ts';

const web = { ...defaultProcess, name: 'web' };
const settings: ServiceSettings = { ...emptyDefinition, processes: { p1: web } };
const item = (kind: SettingsItem['kind'], more: Partial<SettingsItem> = {}): SettingsItem => ({
  kind,
  serviceId: 's1',
  processId: null,
  key: '',
  ...more,
});
const after = (...items: SettingsItem[]) => applyItems(new Map([['s1', settings]]), items).get('s1');

test('a field of a process is set, and null takes it away; nothing given changes', () => {
  const before = structuredClone(settings);
  expect(after(item('process.set', { processId: 'p1', key: 'replicas', to: 3 }))?.processes.p1?.replicas).toBe(3);
  expect(after(item('process.set', { processId: 'p1', key: 'port', to: null }))?.processes.p1).not.toHaveProperty(
    'port',
  );
  expect(settings).toEqual(before);
});

test('a process that was staged is there before it is changed, in whatever order they were staged', () => {
  const set = item('process.set', { processId: 'p2', key: 'replicas', to: 2 });
  const create = item('process.create', { processId: 'p2', to: { ...web, name: 'worker' } });
  expect(after(set, create)?.processes.p2).toEqual({ ...web, name: 'worker', replicas: 2 });
});

test('a deleted process is gone, with what was set of it', () => {
  const remove = item('process.delete', { processId: 'p1' });
  expect(after(remove, item('process.set', { processId: 'p1', key: 'replicas', to: 2 }))?.processes).toEqual({});
  expect(after(item('process.set', { processId: 'p9', key: 'replicas', to: 2 }))).toEqual(settings);
});

test('a service comes with its settings and leaves with its variables', () => {
  const created = applyItems(new Map(), [
    item('service.set', { key: 'releaseCommand', to: ['migrate'] }),
    item('service.create', { to: settings }),
  ]);
  expect(created.get('s1')).toEqual({ ...settings, releaseCommand: ['migrate'] });
  expect(after(item('service.create', { to: { ...settings, dependsOn: ['x'] } }))).toEqual(settings);
  expect(after(item('service.remove'))).toBeUndefined();
  const variables = new Map([['s1', new Map([['A', '1']])]]);
  expect(applyVariables(variables, [{ kind: 'service.remove', serviceId: 's1', key: '' }])).toEqual(new Map());
});

test('variables are set and unset', () => {
  const variables = new Map([
    [
      's1',
      new Map([
        ['A', '1'],
        ['B', '2'],
      ]),
    ],
  ]);
  const changed = applyVariables(variables, [
    { kind: 'variable.unset', serviceId: 's1', key: 'A' },
    { kind: 'variable.set', serviceId: 's1', key: 'B', value: '' },
    { kind: 'variable.set', serviceId: 's2', key: 'C', value: '3' },
  ]);
  expect(changed).toEqual(
    new Map([
      ['s1', new Map([['B', '']])],
      ['s2', new Map([['C', '3']])],
    ]),
  );
  expect(variables.get('s1')?.get('A')).toBe('1');
});

test('a volume is there before it grows, goes with its process, and leaves no trace of volumes', () => {
  const data = { name: 'data', mountPath: '/data', sizeBytes: 1, storageClass: '' };
  const of = { processId: 'p1', volumeId: 'v1', key: 'data' };
  const create = item('volume.create', { ...of, to: data });
  const grow = item('volume.grow', { ...of, to: 9 });
  expect(after(grow, create)?.processes.p1).toEqual({ ...web, volumes: { v1: { ...data, sizeBytes: 9 } } });
  expect(after(item('volume.delete', of), grow, create)).toEqual(settings);
  expect(after(create, item('process.delete', { processId: 'p1' }))?.processes).toEqual({});
  expect(after(grow)).toEqual(settings);
});
