import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallDisk } from '../test/machines/small-disk.ts';

const program = new URL('../test/api/full-log.ts', import.meta.url).pathname;

test.for(['at once', 'gathered'])(
  'a log on a full disk ends no program and keeps none from ending: %s',
  (how, { skip }) => {
    const disk = smallDisk(4);
    if (disk === undefined) return skip();
    const path = join(disk.directory, 'log');
    const log = openSync(path, 'a');
    disk.fill();
    const { status, stdout, signal } = spawnSync(process.execPath, [program, how, join(disk.directory, 'filling')], {
      stdio: ['ignore', 'pipe', log],
      timeout: 60_000,
    });
    closeSync(log);
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    disk.remove();
    expect({ status, signal, stdout: String(stdout) }).toEqual({ status: 0, signal: null, stdout: 'to its end' });
    const told = lines.filter(({ msg }) => /^The disk of this log was full since .* lines are missing\.$/.test(msg));
    expect(told).toMatchObject([{ missing: expect.any(Number) }]);
    expect(told[0].missing).toBeGreaterThan(0);
    // A disk that is full is a line a minute, without a stack, of each disk.
    const full = lines.filter(({ msg }) =>
      msg.startsWith('The disk of PostgreSQL is full (could not extend file): free space'),
    );
    expect(full).toMatchObject([{ during: 'Once' }]);
    expect(lines.filter(({ msg }) => msg.startsWith('The disk of /home/file is full (open: ENOSPC)'))).toHaveLength(1);
    expect(JSON.stringify(full)).not.toContain('stack');
  },
);

test('a log on a disk that stays full keeps no program from ending', ({ skip }) => {
  const disk = smallDisk(1);
  if (disk === undefined) return skip();
  const log = openSync(join(disk.directory, 'log'), 'a');
  disk.fill();
  const { status, stdout } = spawnSync(process.execPath, [program, 'gathered'], {
    stdio: ['ignore', 'pipe', log],
    timeout: 60_000,
  });
  closeSync(log);
  disk.remove();
  expect([status, String(stdout)]).toEqual([0, 'to its end']);
});
