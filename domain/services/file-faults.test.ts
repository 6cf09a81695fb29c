import { expect, test } from 'vitest';
import { filePathFault, filesFault, mostFiles } from './file-faults.ts';
import { defaultProcess, emptyDefinition, type ServiceSettings } from './settings.ts';

test.each(['config/app.yml', '/etc/app/app.yml', '.env', '/etc/hosts.d/x', '/library/a', 'bin/start'])(
  '%s is a path',
  (path) => expect(filePathFault(path)).toBeUndefined(),
);

test.each([
  ...['', '/', '.', '..', '../x', 'a/../b', '/etc/../../x', './a', 'a//b', 'a/', '/a/', 'a b', 'a\0b', 'ä'],
  ...['/proc/1/mem', '/dev/sda', '/sys', '/bin/sh', '/usr/lib/x.so', '/lib64', '/etc/hosts', '/etc/resolv.conf'],
  'x'.repeat(1025),
])('%j is none', (path) => expect(filePathFault(path)).toMatch(/^(must|is)/));

const settings = (paths: string[], mountPath = '/data'): ServiceSettings => ({
  ...emptyDefinition,
  files: paths.map((path) => ({ path, variable: 'A' })),
  processes: {
    p: { ...defaultProcess, name: 'web', volumes: { v: { name: 'data', mountPath, sizeBytes: 1, storageClass: '' } } },
  },
});

test('files in the way of each other or of a volume, and too many, are faults', () => {
  expect(filesFault(settings(['a', 'b/c', '/a']))).toBeUndefined();
  expect(filesFault(settings(['a', 'a/b']))).toContain('"a" and "a/b"');
  expect(filesFault(settings(['a', 'a']))).toContain("each other's way");
  expect(filesFault(settings(['/data/x']))).toContain('the volume "data"');
  expect(filesFault(settings(['/var'], '/var/data'))).toContain('/var/data');
  expect(filesFault(settings(Array.from({ length: mostFiles + 1 }, (_, n) => `f${n}`)))).toContain('20 are the most');
});
