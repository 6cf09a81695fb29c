/** `../ballast exec test/run/all/breaks.ts`: see `help`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chances } from '../../deployments/matrix.ts';
import { tierOf } from '../tiers.ts';
import { distances } from './reach.ts';

const help = `./ballast exec test/run/all/breaks.ts --in CLONE [--seed N] [--count N] [--from N] [--results FILE] [--list]

Breaks single lines of shipped code at places that a seed chooses over all rooms, one at a time, and runs \`npm test\` of a clone of
the project, whose files it changes and restores. Of the tests that reach the file by imports the nearest run first. What they do
not notice is broken together for one run of all of them, and each test that fails there is run with each of these lines alone. A
test that fails is run again alone, so that one that is red by itself notices nothing.

  --in CLONE       A clone of the project, with its packages; nothing else works in it.
  --seed N         Another choice; 31 if left out.
  --count N        How many lines; 40 if left out.
  --results FILE   A line of JSON for each is added there; a run that was interrupted goes on with those that it has not.
  --list           Print the breaks and run nothing.
`;

interface Break {
  file: string;
  line: number;
  before: string;
  after: string;
}

/** A line that makes a test wait for ever is noticed after this, not after the patience of a slow machine. */
const longestTest = '--testTimeout=120000';

/** How many files of tests are tried by each line alone; those in `test/` start whole installations, and wait for the run of all. */
const nearest = 12;

/** Shipped code that has behaviour: neither tests, nor their ground, nor tables of words, nor migrations that were applied. */
const shipped =
  /^(domain|db|temporal|protocol|outbound|workflows|activities|worker|api|agent|web|cli|runtime|identity|machine|pages)\/.*\.tsx?$/;
const notShipped = /\.test\.tsx?$|^db\/migrations\/Migration|\/words\.tsx?$/;

/** By what a line is broken: the first that applies, in an order that the draw decides. */
const changes: readonly ((line: string) => string)[] = [
  (line) => line.replace(/ === /, ' !== '),
  (line) => line.replace(/ !== /, ' === '),
  (line) => line.replace(/ && /, ' || '),
  (line) => line.replace(/ \|\| /, ' && '),
  (line) => line.replace(/ > /, ' <= '),
  (line) => line.replace(/ < /, ' >= '),
  (line) => line.replace(/ \+ /, ' - '),
  (line) => line.replace(/\btrue\b/, 'false'),
  (line) => line.replace(/\bfalse\b/, 'true'),
  (line) => line.replace(/\b(\d+)\b/, (digits) => String(Number(digits) + 1)),
  (line) => line.replace(/'([^']+)'/, "'broken'"),
  (line) => line.replace(/^(\s*)return [^;]+;$/, '$1return undefined as never;'),
  (line) => line.replace(/^(\s*)(await )?[\w.#]+\(.*\);$/, '$1;'),
  (line) => line.replace(/if \((.+)\) /, 'if (!($1)) '),
  (line) => line.replace(/ \?\? .+([;,)])$/, '$1'),
];

function chooseBreaks(clone: string, seed: number, count: number): Break[] {
  const chance = chances(seed);
  const files = tracked(clone).filter((file) => shipped.test(file) && !notShipped.test(file));
  const texts = files.map((file) => readFileSync(join(clone, file), 'utf8').split('\n'));
  const total = texts.reduce((sum, lines) => sum + lines.length, 0);
  const found = new Map<string, Break>();
  while (found.size < count) {
    let at = Math.floor(chance() * total);
    const index = texts.findIndex((lines) => {
      if (at < lines.length) return true;
      at -= lines.length;
      return false;
    });
    const [file = '', lines = []] = [files[index], texts[index]];
    const before = lines[at] ?? '';
    const order = changes.map((change) => ({ change, at: chance() })).toSorted((one, other) => one.at - other.at);
    const after = order.map(({ change }) => change(before)).find((line) => line !== before);
    if (after === undefined || /^\s*(import|export \{|\/?\*|\/\/|\}|type |interface )/.test(before)) continue;
    // A type says nothing at run time.
    const changed = lines.with(at, after).join('\n');
    if (meaning(file, changed) === meaning(file, lines.join('\n')) || meaning(file, changed) === '') continue;
    found.set(`${file}:${at}`, { file, line: at + 1, before: before.trim(), after });
  }
  return [...found.values()];
}

/** The code without its types; empty where it cannot be read. */
function meaning(file: string, text: string): string {
  if (file.endsWith('.tsx')) return text;
  try {
    return stripTypeScriptTypes(text).replace(/\s+/g, ' ');
  } catch {
    return '';
  }
}

/** The clone with these lines broken, until `action` has ended. */
function broken<T>(clone: string, breaks: readonly Break[], action: () => T): T {
  const texts = new Map(breaks.map(({ file }) => [file, readFileSync(join(clone, file), 'utf8')] as const));
  for (const [file, text] of texts) {
    const lines = text.split('\n');
    for (const one of breaks) if (one.file === file) lines[one.line - 1] = one.after;
    writeFileSync(join(clone, file), lines.join('\n'));
  }
  try {
    return action();
  } finally {
    for (const [file, text] of texts) writeFileSync(join(clone, file), text);
  }
}

/** One of the nearest tests that fails, twice. */
function nearNotice(clone: string, one: Break): string | undefined {
  const near = testsNear(clone, one.file)
    .filter((name) => !name.startsWith('test/'))
    .slice(0, nearest);
  if (near.length === 0) return undefined;
  return broken(clone, [one], () => {
    const failed = failing(clone, near, '--bail=1');
    return failed.find((file) => failing(clone, [file]).length > 0);
  });
}

/**
 * Of all tests that fail with all of these breaks together, those that fail with one of them alone; told as they are found. Whole
 * installations come last: each takes longer than many others.
 */
function farNotices(
  clone: string,
  breaks: readonly Break[],
  found: (one: Break, by: string) => void,
): Map<Break, string> {
  const noticed = new Map<Break, string>();
  if (breaks.length === 0) return noticed;
  const near = new Map(breaks.map((one) => [one, testsNear(clone, one.file)] as const));
  const all = [...new Set([...near.values()].flat())];
  const failed = broken(clone, breaks, () => failing(clone, all));
  const whole = (name: string) => Number(name.startsWith('test/'));
  for (const test of failed.toSorted((a, b) => whole(a) - whole(b)))
    for (const one of breaks) {
      if (noticed.has(one) || !near.get(one)?.includes(test)) continue;
      if (broken(clone, [one], () => failing(clone, [test])).length === 0) continue;
      noticed.set(one, test);
      found(one, test);
    }
  return noticed;
}

function testsNear(clone: string, file: string): string[] {
  const files = tracked(clone);
  const sources = new Map(files.map((name) => [name, /\.(ts|tsx|mjs)$/.test(name) ? read(clone, name) : ''] as const));
  const far = distances(sources, [file]);
  return [...far]
    .filter(([name]) => tierOf(name) === 'rules')
    .sort(([, one], [, other]) => one - other)
    .map(([name]) => name);
}

/** Of these files of tests those that fail. */
function failing(clone: string, files: readonly string[], ...options: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync('npm', ['test', '--', longestTest, ...options, ...files], {
    cwd: clone,
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: { ...process.env, NO_COLOR: '1', CI: 'true' },
  });
  if (status === 0) return [];
  const failed = new Set(
    [...`${stdout}${stderr}`.matchAll(/^ FAIL +(?:\S+ +)?(\S+\.test\.tsx?)/gm)].map(([, file]) => file ?? ''),
  );
  // A run that cannot begin names none.
  return failed.size === 0 ? [...files] : [...failed];
}

function tracked(clone: string): string[] {
  return execFileSync('git', ['ls-files'], { cwd: clone, encoding: 'utf8', maxBuffer: 1e8 }).trimEnd().split('\n');
}

const read = (clone: string, file: string): string =>
  existsSync(join(clone, file)) ? readFileSync(join(clone, file), 'utf8') : '';

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    in: { type: 'string' },
    seed: { type: 'string', default: '31' },
    count: { type: 'string', default: '40' },
    results: { type: 'string' },
    list: { type: 'boolean' },
  },
});
if (values.help || values.in === undefined) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const breaks = chooseBreaks(values.in, Number(values.seed), Number(values.count));
const sentence = (one: Break, place: number): string =>
  `${place}. ${one.file}:${one.line}\n   - ${one.before}\n   + ${one.after.trim()}\n`;
/** `near`: it was not noticed by the nearest tests; whether others do is still to be seen. */
interface Result extends Break {
  by?: string;
  near?: true;
}

function write(one: Break, result: Pick<Result, 'by' | 'near'>) {
  if (values.results !== undefined) appendFileSync(values.results, `${JSON.stringify({ ...one, ...result })}\n`);
}

function tell(one: Break, by: string | undefined) {
  process.stdout.write(
    `${sentence(one, breaks.indexOf(one) + 1)}   ${by === undefined ? 'NOT NOTICED' : `noticed by ${by}`}\n`,
  );
  write(one, by === undefined ? {} : { by });
}
if (values.list) {
  process.stdout.write(breaks.map((one, index) => sentence(one, index + 1)).join(''));
  process.exit(0);
}
const placeOf = ({ file, line }: Break) => `${file}:${line}`;
const known = new Map(
  (values.results === undefined || !existsSync(values.results) ? '' : readFileSync(values.results, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)
    .map((result) => [placeOf(result), result] as const),
);
for (const one of breaks) {
  if (known.has(placeOf(one))) continue;
  const by = nearNotice(values.in, one);
  known.set(placeOf(one), by === undefined ? { ...one, near: true } : { ...one, by });
  if (by === undefined) write(one, { near: true });
  else tell(one, by);
}
const unseen = breaks.filter((one) => known.get(placeOf(one))?.near === true);
const far = farNotices(values.in, unseen, tell);
for (const one of unseen) if (!far.has(one)) tell(one, undefined);
const noticed = breaks.filter((one) => far.has(one) || known.get(placeOf(one))?.by !== undefined);
process.stdout.write(`${noticed.length} of ${breaks.length} noticed\n`);
