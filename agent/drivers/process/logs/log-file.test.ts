import { spawn } from 'node:child_process';
import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { longestLine } from '../../../../protocol/logs.ts';
import { until } from '../../../../test/ground/until.ts';
import type { LogNews } from '../../driver.ts';
import { type LogLine, linesIn } from '../../driver-bench.ts';
import { programOfMachine } from '../launch/command-of.ts';
import { LogFile } from './log-file.ts';
import { type Runs, readLogs } from './logs.ts';

let directory: string;
let files: { stdout: LogFile; stderr: LogFile };
let leaving: AbortController;
beforeEach(() => {
  leaving = new AbortController();
  directory = temporaryFolder();
  files = { stdout: new LogFile(join(directory, 'stdout')), stderr: new LogFile(join(directory, 'stderr')) };
  for (const { path } of Object.values(files)) writeFileSync(path, '');
});
afterEach(() => leaving.abort());

const running = (alive: () => boolean | undefined): Runs => ({
  last: () => {
    const now = alive();
    return now === undefined ? 'removed' : { number: 1, running: now };
  },
  all: () => [],
});
/** So much of a log is read at most, which log-file.all.test.ts does. */
const farthest = 256 * 1024 * 1024;
const living = running(() => true);

async function read(tail = 1_000_000): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  const request = { start: { tail }, follow: false, signal: leaving.signal };
  for await (const news of readLogs(files, request, living)) lines.push(...linesIn(news));
  return lines;
}
const texts = (lines: LogLine[]) => lines.map(({ text }) => text);

test('lines of every length are cut alike, from the beginning and from the end', async () => {
  const lengths = [0, 1, longestLine - 1, longestLine, longestLine + 1, 3 * longestLine, 3 * longestLine + 5, 0, 7];
  for (const length of lengths) appendFileSync(files.stdout.path, `${'x'.repeat(length)}\n`);
  appendFileSync(files.stdout.path, 'unfinished');
  const all = await read();
  const expected = [0, 1, longestLine - 1, longestLine, longestLine, 1, ...Array(6).fill(longestLine), 5, 0, 7, 10];
  expect(all.map(({ text }) => text.length)).toEqual(expected);
  for (let tail = 0; tail <= all.length + 1; tail += 1) expect(await read(tail)).toEqual(tail ? all.slice(-tail) : []);
});

test('both streams are told in the order of their times, whoever looked when they were written', async () => {
  for (let number = 0; number < 6; number += 1) {
    const file = number % 2 === 0 ? files.stdout : files.stderr;
    appendFileSync(file.path, `${number}\n`);
    file.look();
    const looked = Date.now();
    await until('the next millisecond', async () => Date.now() > looked);
  }
  const all = await read();
  expect(texts(all)).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(await read(3)).toEqual(all.slice(3));
  files = { stdout: new LogFile(files.stdout.path), stderr: new LogFile(files.stderr.path) };
  expect(await read()).toEqual(all);
});

test('an unfinished line is followed once it is finished, or when nobody can finish it', async () => {
  let alive: boolean | undefined = true;
  const lines: LogLine[] = [];
  const { signal } = leaving;
  const reading = (async () => {
    for await (const news of readLogs(
      files,
      { start: { tail: 0 }, follow: true, signal },
      running(() => alive),
    ))
      lines.push(...linesIn(news));
  })();
  appendFileSync(files.stdout.path, 'one\ntw');
  await until('the first line', async () => lines.length === 1);
  appendFileSync(files.stdout.path, 'o\nthree');
  await until('the second line', async () => lines.length === 2);
  alive = false;
  await until('the last words', async () => lines.length === 3);
  files.stdout.finishLine();
  appendFileSync(files.stdout.path, 'next run\n');
  await until('the next run', async () => lines.length === 4);
  alive = undefined;
  await reading;
  expect(texts(lines)).toEqual(['one', 'two', 'three', 'next run']);
  expect(texts(await read())).toEqual(texts(lines));
  expect(lines.map(({ position }) => position)).toEqual([0, 4, 8, 14]);
});

const fallocate = programOfMachine('fallocate') ?? '';
test.runIf(fallocate)(
  'while something writes, the beginning is freed: no line is lost, and positions go on',
  async () => {
    const lines = 12_000;
    const script = `i=0; while [ $i -lt ${lines} ]; do echo "line $i ${'y'.repeat(80)}"; i=$((i+1)); done >>"$1"`;
    const writer = spawn('sh', ['-c', script, 'sh', files.stdout.path], { stdio: 'ignore' });
    let ended = false;
    writer.once('exit', () => {
      ended = true;
    });
    const limit = 200_000;
    const followed: number[] = [];
    let told = 0;
    let alive: boolean | undefined = true;
    const { signal } = leaving;
    const reading = (async () => {
      for await (const news of readLogs(
        files,
        { start: { tail: 0 }, follow: true, signal },
        running(() => alive),
      )) {
        if ('begin' in news) {
          told = news.begin.stdout;
          continue;
        }
        if ('runs' in news) continue;
        // Whatever is not told is said to be missing.
        const [from, to] = 'missing' in news ? [news.missing.from, news.missing.to] : [news.position, news.next];
        expect(from).toBe(told);
        told = to;
        followed.push(...linesIn(news).map(({ text }) => Number(text.split(' ')[1])));
      }
    })();
    while (!ended) {
      const { size } = statSync(files.stdout.path);
      await until('more is written', async () => ended || statSync(files.stdout.path).size > size + limit / 4);
      await files.stdout.rotate(limit, fallocate);
    }
    // A further pass takes the lines that were written during the last one.
    await files.stdout.rotate(limit, fallocate);
    await until('everything', async () => followed.at(-1) === lines - 1);
    alive = undefined;
    await reading;
    // A reader too slow for so small a limit misses what is gone, says so, and never tells anything twice or half.
    expect(told).toBe(files.stdout.size);
    expect(followed).toEqual([...new Set(followed)].sort((a, b) => a - b));
    const kept = await read();
    expect(kept.length).toBeGreaterThan(100);
    expect(kept[0]?.position).toBe(files.stdout.start);
    expect(kept.map(({ text }) => Number(text.split(' ')[1]))).toEqual(
      Array.from({ length: kept.length }, (_, number) => lines - kept.length + number),
    );
    const { size, blocks } = statSync(files.stdout.path);
    expect(size).toBeGreaterThan(5 * limit);
    expect(blocks * 512).toBeLessThan(1.2 * limit);
    expect(await read(2)).toEqual(kept.slice(-2));
    const request = { follow: false, signal: new AbortController().signal };
    const start = { from: { stdout: 100, stderr: 0 } };
    const found: LogNews[] = [];
    for await (const news of readLogs(files, { ...request, start }, living)) found.push(news);
    expect(found.slice(0, 3)).toEqual([
      { begin: start.from },
      { runs: [] },
      { stream: 'stdout', missing: { from: 100, to: files.stdout.start } },
    ]);
  },
);

test('a program that empties its own log, or makes it seem endless, harms only that', async () => {
  appendFileSync(files.stdout.path, 'before\n'.repeat(100));
  expect(await read()).toHaveLength(100);
  truncateSync(files.stdout.path);
  expect(await read()).toEqual([]);
  appendFileSync(files.stdout.path, 'after\n');
  expect(texts(await read())).toEqual(['after']);
  truncateSync(files.stdout.path, 2 ** 40);
  appendFileSync(files.stdout.path, '\nend\n');
  expect(texts(await read(1))).toEqual(['end']);
  expect(files.stdout.size - files.stdout.start).toBe(farthest);
});
