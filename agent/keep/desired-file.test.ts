import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Desired } from '../../protocol/desired.ts';
import { workload } from '../../protocol/workload.ts';
import { DesiredFile } from './desired-file.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

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
