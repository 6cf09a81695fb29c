import { expect, test } from 'vitest';
import { openAlternatives, unguardedStatements } from './tenants.ts';

const found = (statement: string, file = 'db/teams/teams.ts') =>
  unguardedStatements(new Map([[file, `const one = 1;\nconst rows = sql\`${statement}\`.execute(kysely);\n`]]));

test('raw SQL about reference data that forgets the organization is found, with its place', () => {
  const sentence =
    'db/teams/teams.ts:2 names team in raw SQL without organization_id; add it, or say /* across tenants */.';
  expect(found('select name from team where id = 1')).toEqual([sentence]);
  expect(found('update team set name = 2 where id = 1')).toEqual([sentence]);
  for (const statement of ['delete from "team_member"', 'select 1 from app_user\n join membership on true']) {
    expect(found(statement)).toHaveLength(1);
  }
});

test('raw SQL that names the organization, or says that all are meant, is fine, and so are other tables', () => {
  expect(found('select name from team where organization_id = 3')).toEqual([]);
  expect(found('/* across tenants */ select count(*) from membership')).toEqual([]);
  expect(found('select state from cluster')).toEqual([]);
  expect(found('select name from team', 'db/teams/teams.test.ts')).toEqual([]);
});

test('an `or` in a raw condition stands in parentheses', () => {
  const alternatives = (raw: string, call = 'where') =>
    openAlternatives(new Map([['db/teams/teams.ts', `own.selectFrom('team')\n  .${call}(sql<boolean>\`${raw}\`)\n`]]));
  const sentence = 'db/teams/teams.ts:2 has an `or` in a raw condition without parentheses around it; add them.';
  for (const raw of ['a = 1 or b = 2', '(a) OR (b)', 'a = ${one} or b']) expect(alternatives(raw)).toEqual([sentence]);
  for (const raw of ['(a = 1 or b = 2)', 'a = 1', 'name = any(${ors})', '(a or ${'])
    expect(alternatives(raw)).toEqual([]);
  expect(alternatives('a or b', 'select')).toEqual([]);
});
