import { expect, test } from 'vitest';
import { breaches } from './house.ts';

const house = (files: Record<string, string>) => breaches(new Map(Object.entries(files)));

test('a room imports only what it may, its tests what they need', () => {
  expect(house({ 'db/teams/teams.ts': "import { run } from '../../api/run.ts';" })).toEqual([
    'db/teams/teams.ts imports api/run.ts, which db/ may not.',
  ]);
  expect(house({ 'db/teams/teams.test.ts': "import { run } from '../../api/run.ts';" })).toEqual([]);
  expect(house({ 'db/teams/teams.ts': "const { run } = await import('../../worker/run.ts');" })).toHaveLength(1);
  expect(house({ 'api/teams/x.ts': "import { done } from '../../workflows/deletion/messages.ts';" })).toEqual([]);
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
