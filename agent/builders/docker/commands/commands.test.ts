import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { executionsIn, executionsOf, groupsAt, reasonAgainstLimits } from './executions.ts';
import { markerOf, ofHome, withMarker } from './marker.ts';
import { upperFolder } from './written-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ballast-commands-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function execution(id: string, env: readonly string[]): void {
  const folder = join(executionsIn(root), id);
  mkdirSync(folder, { recursive: true });
  const config = { process: { env }, linux: { cgroupsPath: `/docker/buildkit/${id}` } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

test('commands of a build are told from those of other builds, other agents and other people', () => {
  const [one, other, foreign] = [markerOf('home', 'one'), markerOf('home', 'other'), markerOf('elsewhere', 'one')];
  execution('a', ['PATH=/bin', `NO_PROXY=${one}`, `no_proxy=${one}`]);
  execution('b', [`NO_PROXY=example.com,${other}`]);
  execution('c', [`NO_PROXY=${foreign}`]);
  execution('d', [`NAME=${one}`, 'NO_PROXY=example.com']);
  mkdirSync(join(executionsIn(root), 'begun'));
  const found = (marker: string) => executionsOf(executionsIn(root), marker).map(({ id }) => id);
  expect(found(one)).toEqual(['a']);
  expect(found(ofHome('home'))).toEqual(['a', 'b']);
  expect(executionsOf(join(root, 'nowhere'), one)).toEqual([]);
});

test('hosts of the service that need no proxy stay', () => {
  expect(withMarker({ A: '1' }, 'x.invalid')).toEqual({ A: '1', NO_PROXY: 'x.invalid' });
  expect(withMarker({ no_proxy: 'a.example' }, 'x.invalid')).toEqual({ no_proxy: 'a.example,x.invalid' });
});

test('control groups are found by a path, and by the name that systemd is given', () => {
  for (const group of groupsAt('/docker/buildkit/a')) expect(group).toMatch(/\/docker\/buildkit\/a$/);
  for (const group of groupsAt('app-builds.slice:docker:a'))
    expect(group).toMatch(/\/app\.slice\/app-builds\.slice\/docker-a\.scope$/);
});

test('what a command writes is in the upper folder of its root, before it has entered it and afterwards', () => {
  const options = String.raw`rw,lowerdir=/l,upperdir=/data/with\040space/diff,workdir=/w`;
  const machine = '22 1 0:5 / / rw - overlay overlay rw,lowerdir=/m,upperdir=/machine,workdir=/w';
  const before = `${machine}\n90 22 0:9 / /data/buildkit/executor/a/rootfs rw - overlay overlay ${options}\n`;
  expect(upperFolder('a', before)).toBe('/data/with space/diff');
  expect(upperFolder('a', `91 90 0:9 / / rw - overlay overlay ${options}\n`)).toBe('/data/with space/diff');
  expect(upperFolder('a', '91 90 0:9 / / rw - ext4 /dev/vda rw\n')).toBeUndefined();
});

test('an engine whose commands the agent does not see cannot be limited, and the reason names the path', () => {
  expect(reasonAgainstLimits(root)).toMatch(/executor \(ENOENT\).*run it as root on the machine/);
  mkdirSync(executionsIn(root), { recursive: true });
  if (process.getuid?.() === 0) expect(reasonAgainstLimits(root)).toBeUndefined();
});
