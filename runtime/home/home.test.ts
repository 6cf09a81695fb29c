import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { firstStartBytes, refuseFullDisk } from './disk.ts';
import { openHome, readHome } from './home.ts';

let parent: string;
let path: string;
beforeEach(() => {
  parent = temporaryFolder();
  path = join(parent, 'home');
});

test('a new home is closed to others and remembers what it was made with', () => {
  const home = openHome(path);
  home.keep({ postgresMajor: 18, ports: { temporal: 20_000 } });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, 'home.json')).mode & 0o777).toBe(0o600);
  const again = openHome(path);
  expect(again.record).toEqual(home.record);
  expect(again.record.ports.temporal).toBe(20_000);
});

test('a home that was opened to others is closed again', () => {
  openHome(path);
  chmodSync(path, 0o755);
  openHome(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a directory with other things in it is refused and left as it was', () => {
  mkdirSync(path);
  writeFileSync(join(path, 'thesis.txt'), 'years of work');
  expect(() => openHome(path)).toThrow(/holds other files \(such as thesis\.txt\) and no home\.json; set BALLAST_HOME/);
  expect(existsSync(join(path, 'keys'))).toBe(false);
});

test('a home that cannot be written is refused', () => {
  writeFileSync(path, 'a file where a directory should be');
  expect(() => openHome(path)).toThrow(/cannot be written \(ENOTDIR\); make it writable .* or set BALLAST_HOME/);
  expect(readFileSync(path, 'utf8')).toBe('a file where a directory should be');
  expect(statSync(path).mode & 0o777).not.toBe(0o700);
});

test.runIf(process.platform === 'linux')('a directory in which nothing can be made is refused', () => {
  expect(() => openHome('/proc/ballast')).toThrow(/cannot be written \(ENOENT\); make it writable/);
});

test('a home is made together with the directories above it', () => {
  expect(openHome(join(parent, 'a', 'b')).path).toBe(join(parent, 'a', 'b'));
});

test.each([
  [
    'a newer layout',
    { layout: 2 },
    /written by a newer Ballast \(layout 2, this one knows 1\); start the newer version/,
  ],
  [
    'another PostgreSQL',
    { postgresMajor: 17 },
    /belongs to PostgreSQL 17 and this Ballast brings 18; migrate the data/,
  ],
  ['other shards', { historyShards: 512 }, /512 history shards and this Ballast uses 4, which cannot be changed/],
  ['a newer Temporal', { temporalVersion: '1.40.0' }, /was used with Temporal 1\.40\.0 .* Temporal does not go back/],
  ['nonsense', { installation: 'x' }, /home\.json is damaged; restore it from a backup/],
])('a home of %s is refused and left as it was', (_, changed, sentence) => {
  const record = { ...openHome(path).record, ...changed };
  const file = join(path, 'home.json');
  writeFileSync(file, JSON.stringify(record));
  for (const open of [openHome, readHome]) {
    expect(() => open(path)).toThrow(Refusal);
    expect(() => open(path)).toThrow(sentence);
  }
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(record);
});

test('ports of parts that listen on sockets by now are forgotten', () => {
  const { record } = openHome(path);
  const older = { ...record, ports: { postgres: 20_000, temporal: 20_001, temporalMetrics: 20_002, identity: 20_003 } };
  writeFileSync(join(path, 'home.json'), JSON.stringify(older));
  expect(openHome(path).record.ports).toEqual({ temporal: 20_001 });
});

test('a home of an older Temporal is taken: its tables are brought up to date', () => {
  openHome(path).keep({ temporalVersion: '1.30.0' });
  expect(openHome(path).record.temporalVersion).toBe('1.30.0');
});

test('a damaged home.json is refused rather than made anew', () => {
  openHome(path);
  writeFileSync(join(path, 'home.json'), '{"layout":');
  expect(() => openHome(path)).toThrow(/is damaged/);
});

test('what only reads a home does not make one', () => {
  expect(() => readHome(path)).toThrow(/is not a home of Ballast yet; run `\.\/ballast up` first/);
  expect(existsSync(path)).toBe(false);
});

test('a disk without room is refused with what there is and what is needed', () => {
  expect(() => refuseFullDisk(join(path, 'not', 'there', 'yet'), Number.MAX_SAFE_INTEGER)).toThrow(
    /^The disk of .+ has [\d.]+ GB free and 8388608\.0 GB are needed; free some space or set BALLAST_HOME/,
  );
  expect(firstStartBytes).toBe(4 * 1024 ** 3);
});
