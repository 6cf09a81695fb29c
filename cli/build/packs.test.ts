import { expect, test } from 'vitest';
import { mostPackedBlobBytes, packLine } from '../../domain/builds/manifest.ts';
import type { MissingFile } from './list-folder.ts';
import { packsOf } from './push-blobs.ts';

const files = (count: number, size: number): MissingFile[] =>
  Array.from({ length: count }, (_, at) => {
    const digest = `sha256:${String(at).padStart(64, '0')}`;
    return { path: `f${at}`, kind: 'file' as const, digest, size, target: undefined };
  });

test('packs have at most 1,000 files and 4 MB, and together each file once, in its order', () => {
  const tiny = packsOf(files(2_500, 10));
  expect(tiny.packs.map((pack) => pack.files.length)).toEqual([1_000, 1_000, 500]);
  expect(tiny.packs.flatMap((pack) => pack.files)).toEqual(files(2_500, 10));
  const [one] = files(1, 10);
  expect(tiny.packs[2]?.size).toBe(500 * (packLine(one?.digest ?? '', 10).length + 10));
  const { packs, alone } = packsOf(files(60, 300_000));
  expect([packs.map((pack) => pack.files.length), alone]).toEqual([[13, 13, 13, 13, 8], []]);
});

test('a file that is too large for a pack goes by itself, and so does one that is alone', () => {
  const [largest] = files(1, mostPackedBlobBytes);
  const [larger] = files(1, mostPackedBlobBytes + 1);
  if (largest === undefined || larger === undefined) throw new Error('There are no files.');
  expect(packsOf([larger, largest])).toEqual({ packs: [], alone: [largest, larger] });
  const both = packsOf([largest, larger, ...files(1, 5)]);
  expect([both.packs.map((pack) => pack.files.length), both.alone]).toEqual([[2], [larger]]);
  expect(packsOf([])).toEqual({ packs: [], alone: [] });
});
