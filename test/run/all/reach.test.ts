import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rooms } from '../../../lint/rooms.ts';
import { code, distances, usersOf } from './reach.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');

const sources = new Map([
  ['domain/slug.ts', ''],
  ['domain/role.ts', ''],
  [
    'db/teams/teams.ts',
    "import { slug } from '../../domain/slug.ts';\nimport type { Role } from '../../domain/role.ts';\n",
  ],
  ['api/main.ts', "import { teams } from '../db/teams/teams.ts';\n"],
  ['cli/main.ts', "const load = () => import('./up.ts');\n"],
  ['cli/up.ts', "const main = fileURLToPath(new URL('../api/main.ts', import.meta.url));\n"],
  ['agent/main.ts', ''],
  ['test/start.all.test.ts', "const executable = new URL('../ballast', import.meta.url);\n"],
  ['test/agent.all.test.ts', "const main = join(import.meta.dirname, '..', 'agent', 'main.ts');\n"],
  ['test/words.all.test.ts', "const readme = new URL('../README.md', import.meta.url);\n"],
  ['README.md', ''],
  ['web/pages/teams.tsx', ''],
  ['test/console/console.ts', ''],
  ['test/console/stories.all.test.ts', "import { Console } from './console.ts';\n"],
]);

const reached = (...changed: string[]) =>
  Object.fromEntries([...distances(sources, changed)].filter(([file]) => file.endsWith('.test.ts')));

test('a change reaches tests through imports, started programs and the command of users', () => {
  expect(reached('domain/slug.ts')).toEqual({ 'test/start.all.test.ts': 5 });
  expect(reached('agent/main.ts')).toEqual({ 'test/agent.all.test.ts': 1 });
});

test('a change of the console reaches what is told in a browser', () => {
  expect(reached('web/pages/teams.tsx')).toEqual({ 'test/console/stories.all.test.ts': 2 });
});

test('a file that is read is reached, and an import of types alone reaches nothing', () => {
  expect(reached('README.md')).toEqual({ 'test/words.all.test.ts': 1 });
  expect(reached('domain/role.ts')).toEqual({});
});

test('a change of what every test stands on reaches all of them', () => {
  expect(Object.keys(reached('package-lock.json'))).toHaveLength(4);
});

test('whatever is shipped reaches a test, but for what a developer starts by hand', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: checkout, encoding: 'utf8' }).trim().split('\n');
  const texts = new Map(files.map((file) => [file, code.test(file) ? readFileSync(join(checkout, file), 'utf8') : '']));
  const uses = new Map<string, string[]>();
  for (const [used, users] of usersOf(texts))
    for (const user of users) uses.set(user, [...(uses.get(user) ?? []), used]);
  const reaching = new Set(files.filter((file) => /\.test\.tsx?$/.test(file)));
  // A set that grows while it is walked is walked to its end.
  for (const file of reaching) for (const used of uses.get(file) ?? []) reaching.add(used);
  const { bench: _, lint: __, test: ___, ...ofProduct } = rooms;
  const shipped = files.filter((file) => code.test(file) && (file.split('/')[0] ?? '') in ofProduct);
  const alone = shipped.filter((file) => !reaching.has(file) && doesSomething(texts.get(file) ?? ''));
  expect(shipped.length).toBeGreaterThan(1_000);
  expect(alone).toEqual(['worker/record-history.ts']);
});

/** Whether it is more than types, imports of them and comments. */
function doesSomething(text: string): boolean {
  const said = stripTypeScriptTypes(text).replace(/\/\*[\s\S]*?\*\/|\/\/.*|^import [^;]*;|^export(?: \{\})?/gm, '');
  return /[^\s;]/.test(said);
}
