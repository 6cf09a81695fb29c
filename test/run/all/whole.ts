/** `npm run test:all` and `npm run test:soak`: see `help`. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleCache } from '../../ground/bundle-cache.ts';
import type { FileResult } from '../closing.ts';
import { slowness } from '../patience.ts';
import { commands, partOf, type Tier, tierOf } from '../tiers.ts';
import { distances } from './reach.ts';
import { readTimes, type Times, writeTimes } from './times.ts';

const help = (tier: Tier) => `${commands[tier]} -- [PART | PATH]… [options]

Runs the tests of the files named *.${tier}.test.ts in parts, and prints a table at the end. What has passed with these very sources
is not run again, so an interrupted run is resumed by the same command.

  PART | PATH       Only this part, or the files that have this in their path.
  --list            Print the parts with their files and how long they took, and run nothing.
  --again           Run also what has passed with these sources.
  --changed COMMIT  Only the files that reach, by their imports, something that has changed since that commit; nearest first.
  --minutes N       As many of them as fit into N minutes by how long they took; the others are printed.
  --record          Keep how long each file took in test/run/all/times.json.
`;

interface Part {
  name: string;
  tier: Tier;
  files: string[];
}

/** Files that each need the engine of the machine to themselves, for longer than the others wait for it. */
const oneAtATime = 'engines';

/** Seconds that a file counts which was never timed. */
const untimed = 60;

const checkout = join(import.meta.dirname, '..', '..', '..');
const vitest = join(checkout, 'node_modules', 'vitest', 'vitest.mjs');

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      list: { type: 'boolean' },
      again: { type: 'boolean' },
      record: { type: 'boolean' },
      changed: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const [given, ...wanted] = positionals;
  const tier: Tier = given === 'soak' ? 'soak' : 'all';
  if (values.help) return print(help(tier));
  const files = git('ls-files', '-co', '--exclude-standard').filter((file) => existsSync(join(checkout, file)));
  const times = readTimes();
  let parts = partsOf(files, tier, values.changed === undefined).flatMap((part, _, all) => narrowed(part, wanted, all));
  if (values.changed !== undefined) {
    const takes = (file: string) => times[file] ?? untimed;
    parts = within(
      reaching(parts, files, values.changed, takes),
      takes,
      Number(values.minutes ?? Number.POSITIVE_INFINITY),
    );
  }
  if (parts.length === 0) {
    const ask =
      wanted.length > 0 ? ` of ${wanted.join(' ')}` : values.changed === undefined ? '' : ' for what has changed';
    return print(
      `No file${ask} is named *.${tier}.test.ts; \`${commands[tier]} -- --list\` shows those that are.\n`,
      wanted.length > 0 ? 2 : 0,
    );
  }
  if (values.list) return print(listed(parts, times));
  return await runParts(parts, tier, { again: values.again === true, record: values.record === true, files });
}

/** The rules come first in a whole run: what fails there fails soonest. */
function partsOf(files: readonly string[], tier: Tier, withRules: boolean): Part[] {
  const parts = new Map<string, Part>();
  for (const file of files) {
    const of = tierOf(file);
    if (of !== tier && !(of === 'rules' && tier === 'all' && withRules)) continue;
    const name = of === 'rules' ? 'rules' : partOf(file);
    const part = parts.get(name) ?? { name, tier: of, files: [] };
    part.files.push(file);
    parts.set(name, part);
  }
  return [...parts.values()].toSorted(({ name: one }, { name: other }) => order(one).localeCompare(order(other)));
}

const order = (name: string): string => (name === 'rules' ? '' : name);

function narrowed(part: Part, wanted: readonly string[], all: readonly Part[]): Part[] {
  if (wanted.length === 0 || wanted.includes(part.name)) return [part];
  const paths = wanted.filter((one) => !all.some(({ name }) => name === one));
  // Paths choose among the files of the tier itself; those of the rules are run by `npm test`.
  const files = part.name === 'rules' ? [] : part.files.filter((file) => paths.some((one) => file.includes(one)));
  return files.length === 0 ? [] : [{ ...part, files }];
}

/** The files that a change asks for, nearest first, then the shortest; each keeps its part. */
function reaching(
  parts: readonly Part[],
  files: readonly string[],
  commit: string,
  takes: (file: string) => number,
): { part: Part; file: string }[] {
  const changed = changedSince(commit, files);
  const sources = new Map(files.map((file) => [file, /\.(ts|tsx|mjs)$/.test(file) ? text(file) : ''] as const));
  const far = distances(sources, changed);
  return parts
    .flatMap((part) => part.files.map((file) => ({ part, file })))
    .filter(({ file }) => far.has(file))
    .toSorted(
      (one, other) => (far.get(one.file) ?? 0) - (far.get(other.file) ?? 0) || takes(one.file) - takes(other.file),
    );
}

/** Everything, where that commit is not in this clone. */
function changedSince(commit: string, files: readonly string[]): string[] {
  try {
    return git('diff', '--name-only', commit, '--').filter((file) => file !== '');
  } catch {
    print(`The commit ${commit} is not in this clone, so everything counts as changed.\n`);
    return [...files];
  }
}

function within(
  chosen: readonly { part: Part; file: string }[],
  takes: (file: string) => number,
  minutes: number,
): Part[] {
  const slower = Number.isFinite(minutes) ? slowness() : 1;
  let left = minutes * 60;
  const fits = new Map<Part, string[]>();
  const others: string[] = [];
  for (const { part, file } of chosen) {
    const time = takes(file) * slower;
    if (time > left) others.push(file);
    else {
      left -= time;
      fits.set(part, [...(fits.get(part) ?? []), file]);
    }
  }
  if (others.length > 0) print(`Did not fit into ${minutes} minutes:\n${others.map((file) => `  ${file}\n`).join('')}`);
  return [...fits].map(([part, files]) => ({ ...part, files }));
}

async function runParts(
  parts: readonly Part[],
  tier: Tier,
  { again, record, files }: { again: boolean; record: boolean; files: readonly string[] },
): Promise<number> {
  mkdirSync(bundleCache, { recursive: true });
  // Sources that were changed begin anew; what came of them before is of no use.
  const kept = join(bundleCache, `results-${tier}-${treeOf(files)}.jsonl`);
  if (again) rmSync(kept, { force: true });
  // Vitest hears Ctrl-C as well, and ends its part.
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  const took = new Map<string, number>();
  const broken: string[] = [];
  for (const part of parts) {
    const passed = new Set(
      resultsIn(kept)
        .filter(({ failed }) => failed === 0)
        .map(({ file }) => file),
    );
    const pending = part.files.filter((file) => !passed.has(file));
    if (pending.length === 0 || stopped) continue;
    print(`\n== ${part.name}: ${pending.length} of ${part.files.length} files\n`);
    const begun = performance.now();
    const code = await runFiles(
      [
        ...(pending.length === part.files.length && part.name === 'rules' ? [] : pending),
        ...(part.name === oneAtATime ? ['--no-file-parallelism'] : []),
      ],
      part.tier,
      kept,
    );
    // Each test may have passed while something failed outside of all of them.
    const failed = resultsIn(kept).some((one) => pending.includes(one.file) && one.failed > 0);
    if (code !== 0 && !failed) broken.push(part.name);
    took.set(part.name, (performance.now() - begun) / 1000);
  }
  const results = new Map(resultsIn(kept).map((result) => [result.file, result]));
  print(`\n${table(parts, results, took)}\n`);
  const missing = parts.flatMap((part) => part.files).filter((file) => results.get(file)?.failed !== 0);
  if (record) writeTimes([...results.values()]);
  if (missing.length === 0 && broken.length > 0) {
    rmSync(kept, { force: true });
    return print(`\nFailed outside of any test, see above: ${broken.join(', ')}. All of it runs again.\n`, 1);
  }
  if (missing.length === 0) return 0;
  return print(
    `\nNot passed; the same command goes on with these:\n${missing.map((file) => `  ${file}\n`).join('')}`,
    1,
  );
}

function runFiles(words: readonly string[], tier: Tier, results: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', vitest, 'run', ...words], {
    cwd: checkout,
    env: { ...process.env, TEST_TIER: tier, TEST_RESULTS: results },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** The last one of each file counts. */
function resultsIn(path: string): FileResult[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return [...new Map(lines.map((line): [string, FileResult] => [JSON.parse(line).file, JSON.parse(line)])).values()];
}

/** A name for exactly these sources. */
function treeOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(join(checkout, file)));
  return hash.digest('hex').slice(0, 12);
}

function table(
  parts: readonly Part[],
  results: ReadonlyMap<string, FileResult>,
  took: ReadonlyMap<string, number>,
): string {
  const rows = parts.map(({ name, files }) => {
    const of = files.flatMap((file) => results.get(file) ?? []);
    const sum = (key: 'passed' | 'failed' | 'skipped') => of.reduce((total, one) => total + one[key], 0);
    const time = took.get(name);
    const counts = [`${of.length} of ${files.length}`, sum('passed'), sum('failed'), sum('skipped')];
    return [name, ...counts, time === undefined ? 'before' : clock(time)].map(String);
  });
  const all = [['part', 'files', 'passed', 'failed', 'not run', 'time'], ...rows];
  const total = clock([...took.values()].reduce((sum, one) => sum + one, 0));
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, `in all ${total}`].join('\n');
}

function listed(parts: readonly Part[], times: Times): string {
  return parts
    .map(({ name, files }) => {
      const known = files.map((file) => `  ${file}${times[file] === undefined ? '' : `  ${clock(times[file])}`}\n`);
      const sum = files.reduce((total, file) => total + (times[file] ?? 0), 0);
      return `${name}  ${files.length} files, ${clock(sum)} of tests\n${name === 'rules' ? '' : known.join('')}`;
    })
    .join('');
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function git(...words: string[]): string[] {
  const said = execFileSync('git', words, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return said.trimEnd().split('\n');
}

const text = (file: string): string => readFileSync(join(checkout, file), 'utf8');

function print(said: string, code = 0): number {
  process.stdout.write(said);
  return code;
}

// A reader may stop reading (`-- --list | head`); that is no failure.
process.stdout.on('error', () => {});
if (import.meta.main) process.exitCode = await main();
