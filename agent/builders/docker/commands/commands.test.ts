import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { executionsOf, groupsAt } from './executions.ts';
import { upperFolder } from './hold-limits.ts';
import { markerOf, ofHome, withWayOut } from './marker.ts';

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

function execution(id: string, env: readonly string[]): void {
  const folder = join(root, id);
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
  mkdirSync(join(root, 'begun'));
  const pid = process.pid;
  const found = (marker: string) => executionsOf({ executions: root, pid }, marker).map(({ id }) => id);
  expect(found(one)).toEqual(['a']);
  expect(found(ofHome('home'))).toEqual(['a', 'b']);
  expect(executionsOf({ executions: join(root, 'nowhere'), pid }, one)).toEqual([]);
});

test('the way out of commands is the proxy, whatever the service has in its place', () => {
  const given = { A: '1', no_proxy: 'a.example', https_proxy: 'http://elsewhere.example', All_Proxy: 'socks://x' };
  const proxy = 'http://127.0.0.1:3128';
  const [HTTP_PROXY, HTTPS_PROXY] = [proxy, proxy];
  const NO_PROXY = 'localhost,127.0.0.1,::1,x.invalid';
  expect(withWayOut(given, 'x.invalid')).toEqual({ A: '1', HTTP_PROXY, HTTPS_PROXY, NO_PROXY });
});

test('control groups of commands are beneath that of their builder', () => {
  const found = groupsAt(process.pid, '/buildkit/a');
  expect(found.length).toBeGreaterThan(0);
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':')[2] ?? '/');
  for (const group of found)
    expect(own.some((name) => group.endsWith(join(name.replace(/\/init$/, ''), 'buildkit/a')))).toBe(true);
});

test('what a command writes is in the upper folder of its root, before it has entered it and afterwards', () => {
  const options = String.raw`rw,lowerdir=/l,upperdir=/data/with\040space/diff,workdir=/w`;
  const machine = '22 1 0:5 / / rw - overlay overlay rw,lowerdir=/m,upperdir=/machine,workdir=/w';
  const before = `${machine}\n90 22 0:9 / /data/buildkit/executor/a/rootfs rw - overlay overlay ${options}\n`;
  expect(upperFolder('a', before)).toBe('/data/with space/diff');
  expect(upperFolder('a', `91 90 0:9 / / rw - overlay overlay ${options}\n`)).toBe('/data/with space/diff');
  expect(upperFolder('a', '91 90 0:9 / / rw - ext4 /dev/vda rw\n')).toBeUndefined();
});
