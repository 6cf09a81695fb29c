import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const checkout = new URL('../../..', import.meta.url).pathname;
const whole = (...words: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'test/run/all/whole.ts', ...words], {
    cwd: checkout,
    encoding: 'utf8',
  });

test('the parts of all tests are listed by name, and can be chosen by it or by a path', () => {
  const parts = whole('all', '--list').stdout.matchAll(/^([a-z-]+) {2}(\d+) files/gm);
  const names = [...parts].map(([, name]) => name);
  expect(names[0]).toBe('rules');
  expect(names).toEqual(expect.arrayContaining(['api', 'console', 'engines', 'kills', 'languages']));
  const kills = whole('all', 'kills', '--list').stdout;
  expect(kills).toMatch(/^kills {2}\d+ files/);
  expect(kills).toContain('  test/scenarios/kills/kill-matrix.all.test.ts');
  expect(whole('all', 'kill-matrix', '--list').stdout.match(/all\.test\.ts/g)).toHaveLength(1);
});

test('a part or a path that no file has is refused', () => {
  const refused = whole('all', 'no-such-part');
  expect(refused.status).toBe(2);
  expect(refused.stdout).toContain('No file of no-such-part is named *.all.test.ts');
});

test('--help names every option', () => {
  const { stdout } = whole('all', '--help');
  for (const option of ['--list', '--again', '--changed', '--minutes', '--record']) expect(stdout).toContain(option);
});
