import { expect, test } from 'vitest';
import { workloadOf } from '../deployments/workload-of.ts';
import { processFaults } from './process-faults.ts';
import { defaultProcess, emptyDefinition, type ServiceSettings, type VolumeSettings } from './settings.ts';
import {
  addedVolumeFaults,
  mostVolumes,
  replacing,
  volumeFaults,
  volumeName,
  volumesFault,
  withVolumes,
} from './volumes.ts';

const volume = (more: Partial<VolumeSettings> = {}): VolumeSettings => ({
  ...{ name: 'data', mountPath: '/data', sizeBytes: 1_000, storageClass: '' },
  ...more,
});
const web = { ...defaultProcess, name: 'web' };
const worker = { ...defaultProcess, kind: 'worker' as const, name: 'worker' };
const having = (volumes: Record<string, VolumeSettings>): ServiceSettings => ({
  ...emptyDefinition,
  processes: { p1: withVolumes(web, volumes), p2: worker },
});

test.each<[string, Partial<VolumeSettings>, string[]]>([
  ['a plain directory', { mountPath: '/var/lib/postgresql/data' }, []],
  ['the root', { mountPath: '/' }, ['mountPath']],
  ['a relative path', { mountPath: 'data' }, ['mountPath']],
  ['a path that climbs', { mountPath: '/data/../etc' }, ['mountPath']],
  ['a path with a dot', { mountPath: '/data/./a' }, ['mountPath']],
  ['two slashes', { mountPath: '/data//a' }, ['mountPath']],
  ['a slash at the end', { mountPath: '/data/' }, ['mountPath']],
  ['a space', { mountPath: '/my data' }, ['mountPath']],
  ['a directory of the machine', { mountPath: '/proc/1' }, ['mountPath']],
  ['a neighbour of a directory of the machine', { mountPath: '/devices' }, []],
  ['capitals', { name: 'Data' }, ['name']],
  ['nothing to store in', { sizeBytes: 0 }, ['sizeBytes']],
])('a volume: %s', (_, given, faults) => {
  expect(volumeFaults(volume(given)).map(({ field }) => field)).toEqual(faults);
});

test.each<[string, string, Partial<VolumeSettings>, string[]]>([
  ['beside', 'p1', { name: 'logs', mountPath: '/database' }, []],
  ['beneath another one of its process', 'p1', { name: 'logs', mountPath: '/data/logs' }, ['mountPath']],
  ['above another one of its process', 'p1', { name: 'logs', mountPath: '/data' }, ['mountPath']],
  ['at the same path of another process', 'p2', { name: 'logs' }, []],
  ['by a name that another process has taken', 'p2', {}, ['name']],
])('one more volume: %s', (_, process, given, faults) => {
  const found = addedVolumeFaults(having({ v1: volume() }), process, volume(given));
  expect(found.map(({ field }) => field)).toEqual(faults);
});

test('a process with a volume has one instance, and no schedule', () => {
  const process = withVolumes(web, { v1: volume() });
  expect(processFaults(process)).toEqual([]);
  expect(processFaults({ ...process, replicas: 0 })).toEqual([]);
  expect(processFaults({ ...process, replicas: 2 })).toMatchObject([
    { field: 'replicas', message: expect.stringContaining('the process "web" has the volume "data"') },
  ]);
  const cron = { ...process, kind: 'cron' as const, schedule: '0 3 * * *' };
  expect(processFaults(cron)).toMatchObject([{ field: 'kind' }]);
});

test('changes that were staged one by one are looked at together', () => {
  expect(volumesFault(having({ v1: volume(), v2: volume({ name: 'logs', mountPath: '/logs' }) }))).toBeUndefined();
  expect(volumesFault(having({ v1: volume(), v2: volume({ mountPath: '/logs' }) }))).toContain('name');
  expect(volumesFault(having({ v1: volume(), v2: volume({ name: 'logs', mountPath: '/data/a' }) }))).toContain(
    'overlaps',
  );
  const many = Array.from({ length: mostVolumes + 1 }, (_, index) => {
    return [`v${index}`, volume({ name: `n${index}`, mountPath: `/n${index}` })] as const;
  });
  expect(volumesFault(having(Object.fromEntries(many)))).toContain(`${mostVolumes} are the most`);
});

test('neither replicas nor sizes need new instances; paths and volumes do', () => {
  const before = replacing(having({ v1: volume() }));
  expect(replacing(having({ v1: volume({ sizeBytes: 9_000 }) }))).toEqual(before);
  expect(replacing(having({ v1: volume({ mountPath: '/other' }) }))).not.toEqual(before);
  expect(replacing(having({}))).not.toEqual(before);
  expect(having({}).processes.p1).not.toHaveProperty('volumes');
});

test('a workload names volumes by their ids, and says which process mounts them where', () => {
  const [one, other] = ['0198a000-0000-7000-8000-000000000002', '0198a000-0000-7000-8000-000000000001'];
  const volumes = { [one]: volume(), [other]: volume({ name: 'logs', mountPath: '/logs', sizeBytes: 5 }) };
  const workload = workloadOf({
    content: {
      settings: having(volumes),
      image: { repository: 'app', digest: 'sha256:1', own: true },
      variables: {},
    },
    ...{ secrets: {}, runsAs: '1', rollout: { id: 'd', digest: 'c' }, ports: new Map() },
    network: { environment: 'e', aliases: [] },
  });
  expect(workload.volumes).toEqual([
    { name: volumeName(other), sizeBytes: 5 },
    { name: volumeName(one), sizeBytes: 1_000 },
  ]);
  expect(workload.processes.map(({ name, mounts }) => [name, mounts])).toEqual([
    [
      'web',
      [
        { volume: volumeName(other), path: '/logs', name: 'logs' },
        { volume: volumeName(one), path: '/data', name: 'data' },
      ],
    ],
    ['worker', []],
  ]);
});
