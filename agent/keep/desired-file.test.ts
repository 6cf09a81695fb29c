import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import type { Desired } from '../../protocol/desired.ts';
import { workload } from '../../protocol/workload.ts';
import { DesiredFile } from './desired-file.ts';

const directory = temporaryFolder();

const app = workload.parse({ release: '1', image: { layout: '/srv/app' }, processes: [] });
const desired = (revision: number, ...keys: string[]): Desired => ({
  ...{ revision, broken: [], removed: [] },
  slices: keys.map((key) => ({ key, revision, workload: app })),
});

test('a control plane that was restored to an older state has the last word on what shall run', () => {
  const file = new DesiredFile(join(directory, 'desired.json'));
  file.merge(desired(7, 'a', 'b'), 0);
  file.merge(desired(9, 'c'), 7);
  expect([...file.slices.keys()]).toEqual(['a', 'b', 'c']);
  file.merge(desired(5, 'a'), 9);
  expect({ keys: [...file.slices.keys()], revision: file.revision }).toEqual({ keys: ['a'], revision: 5 });
  const read = new DesiredFile(join(directory, 'desired.json'));
  read.load();
  expect({ keys: [...read.slices.keys()], revision: read.revision }).toEqual({ keys: ['a'], revision: 5 });
});

test('one that is missing, damaged or unreadable tells nothing, and says why unless it was never there', () => {
  const path = join(directory, 'other.json');
  const loaded = () => {
    const file = new DesiredFile(path);
    const said = file.load();
    expect([file.revision, file.isKnown, [...file.slices.keys()]]).toEqual([0, false, []]);
    // Changes since a revision that is unknown here change nothing.
    file.merge(desired(9, 'a'), 7);
    expect(file.revision).toBe(0);
    return said;
  };
  expect(loaded()).toBeUndefined();
  writeFileSync(path, '{"rev');
  expect(loaded()).toBe(`${path} is damaged, so everything is asked for again.`);
  rmSync(path);
  mkdirSync(path);
  expect(loaded()).toContain('cannot be read, so everything is asked for again: ');
});
