import { expect, test } from 'vitest';
import { breaches } from './house.ts';

const house = (files: Record<string, string>) => breaches(new Map(Object.entries(files)));

test('a room imports only what it may, its tests what they need', () => {
  expect(house({ 'db/teams/teams.ts': "import { run } from '../../api/run.ts';" })).toEqual([
    'db/teams/teams.ts imports api/run.ts, which db/ may not.',
  ]);
  expect(house({ 'db/teams/teams.test.ts': "import { run } from '../../api/run.ts';" })).toEqual([]);
  expect(house({ 'db/teams/teams.ts': "const { run } = await import('../../worker/run.ts');" })).toHaveLength(1);
  expect(house({ 'api/teams/x.ts': "import { done } from '../../workflows/deletion/descriptor.ts';" })).toEqual([]);
  expect(house({ 'api/teams/x.ts': "import { done } from '../../workflows/deletion/state.ts';" })).toHaveLength(1);
});

test('of some rooms only the types are known, however the import is written', () => {
  const of = (text: string) => house({ 'web/pages/x.ts': text });
  expect(of("import type { Team } from '../../api/teams/team.ts';")).toEqual([]);
  expect(of("import { type Team, type Member } from '../../api/teams/team.ts';")).toEqual([]);
  expect(of("import {\n  type Team,\n  teamSchema,\n} from '../../api/teams/team.ts';")).toEqual([
    'web/pages/x.ts imports api/teams/team.ts, which web/ may not as a value; write `import type`.',
  ]);
});

test('an engine knows no subject, of its own room or another', () => {
  expect(house({ 'db/engine/effect.ts': "import { Team } from '../teams/team.ts';" })).toEqual([
    'db/engine/effect.ts serves every subject and imports one: db/teams/team.ts.',
  ]);
  expect(house({ 'api/engine/http/host.ts': "import type { Team } from '../../../db/teams/team.ts';" })).toHaveLength(
    1,
  );
  expect(house({ 'db/engine/effect.ts': "import { open } from '../postgres/database.ts';" })).toEqual([]);
});

test('what every room may load loads nothing but what is pure', () => {
  const of = (text: string) => house({ 'workflows/deletion/words.ts': text });
  expect(of("import { x } from '../../domain/roles.ts';\nimport { y } from './state.ts';")).toEqual([]);
  expect(of("import { z } from '../frame.ts';")).toEqual([
    'workflows/deletion/words.ts is pure and imports workflows/frame.ts.',
  ]);
});

test('files that import each other in a circle are named together, and types count', () => {
  const files = {
    'db/a/one.ts': "import { two } from './two.ts';",
    'db/a/two.ts': "export * from '../b/three.ts';",
    'db/b/three.ts': "import type { One } from '../a/one.ts';",
    'db/b/four.ts': "import { one } from '../a/one.ts';",
  };
  expect(house(files)).toEqual(['These files import each other in a circle: db/a/one.ts, db/a/two.ts, db/b/three.ts.']);
});

test('a folder keeps to fifteen files, its tests and migrations aside', () => {
  const files = (count: number, name: (index: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), '']));
  expect(house(files(16, (index) => `db/teams/t${index}.ts`))).toEqual([
    'db/teams/ has 16 files; a folder keeps to 15.',
  ]);
  expect(house(files(15, (index) => `db/teams/t${index}.ts`))).toEqual([]);
  expect(house(files(16, (index) => `db/teams/t${index}.test.ts`))).toEqual([]);
  expect(house(files(16, (index) => `db/migrations/Migration${index}.ts`))).toEqual([]);
});

test('a file of tests changes nothing that the next one in its process meets', () => {
  const of = (text: string) => house({ 'db/teams/teams.test.ts': text });
  expect(of(`process.${'env'}.PORT = '1';`)).toEqual([
    `db/teams/teams.test.ts changes what all tests share: \`process.${'env'}.PORT =\`.`,
  ]);
  for (const text of [`delete process.${'env'}[name];`, `vi.${'mock'}('./teams.ts');`, `vi.${'stubEnv'}('A', '')`])
    expect(of(text)).toHaveLength(1);
  expect(of(`if (process.${'env'}.PORT === '1') start({ ...process.${'env'} });`)).toEqual([]);
});
