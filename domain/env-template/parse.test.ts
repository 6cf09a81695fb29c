import { expect, test } from 'vitest';
import { mostKeys, parseEnvTemplate } from './parse.ts';

const one = (text: string) => parseEnvTemplate(text)[0];

test('keys in their order, with what is said of them above and behind', () => {
  const text = `\uFEFF# ---- Database ----

# Where the data are.
# Ask the team.
export DATABASE_URL="postgres://user:pass@localhost:5432/shop" # local
not a line of it
PORT=3000\r
# REDIS_URL=redis://localhost:6379
# A sentence with A=b in it
NEXT_PUBLIC_URL='http://localhost:3000'
DATABASE_URL=twice`;
  expect(parseEnvTemplate(text).map(({ key, comment, example }) => [key, comment, example])).toEqual([
    ['DATABASE_URL', 'Where the data are. Ask the team. local', 'postgres://user:pass@localhost:5432/shop'],
    ['PORT', '', '3000'],
    ['REDIS_URL', '', 'redis://localhost:6379'],
    ['NEXT_PUBLIC_URL', 'A sentence with A=b in it', 'http://localhost:3000'],
  ]);
});

test.each([
  ['API_URL=', true, false],
  ['API_URL=http://localhost', false, false],
  ['API_KEY=your-api-key', true, true],
  ['API_KEY=<paste it here>', true, true],
  ['API_KEY=xxxxxxxx', true, true],
  ['API_KEY="sk_test_..."', true, true],
  ['API_KEY=changeme', true, true],
  ['# optional\nAPI_URL=', false, false],
  ['API_URL= # Optional: where it is', false, false],
  ['# API_URL=', false, false],
  ['# required in production\n# API_URL=', true, false],
  ['PORT=', false, false],
  ['NODE_ENV=development', false, false],
])('%j: required %s, placeholder %s', (text, required, placeholder) => {
  expect(one(text)).toMatchObject({ required, placeholder });
});

test.each([
  ['SESSION_SECRET=', true, true],
  ['NEXTAUTH_SECRET=secret', true, true],
  ['SECRET_KEY_BASE=', true, true],
  ['API_TOKEN_SALT=tobemodified', true, false],
  ['JWT_SECRET=changeme', true, true],
  ['STRIPE_SECRET_KEY=', true, false],
  ['GITHUB_CLIENT_SECRET=', true, false],
  ['OPENAI_API_KEY=', true, false],
  ['# openssl rand -hex 32\nVAULT_TOKEN=', true, true],
  ['# a random name\nSITE_NAME=', false, false],
  ['DATABASE_URL=postgres://a:b@c/d', true, false],
  ['LOG_LEVEL=info', false, false],
])('%j: secret %s, generated %s', (text, secretSuggested, generateSuggested) => {
  expect(one(text)).toMatchObject({ secretSuggested, generateSuggested });
});

test('a variable that is there, one that services share, and one that the platform gives', () => {
  const there = { existing: new Set(['A']), shared: new Set(['B']) };
  expect(
    parseEnvTemplate('A=\nB=\nPORT=\nC=', there).map(({ key, existing, providedBy, required }) => [
      key,
      existing,
      providedBy,
      required,
    ]),
  ).toEqual([
    ['A', true, '', true],
    ['B', false, 'project', false],
    ['PORT', false, 'platform', false],
    ['C', false, '', true],
  ]);
});

test('a line of a value of several lines is no key, and one that is no name neither', () => {
  const text = 'KEY="first\n# OTHER=1\nlast"\n1A=b\nA;B=c\n__proto__=d';
  expect(parseEnvTemplate(text).map(({ key }) => key)).toEqual(['KEY', '__proto__']);
});

test('a long template is cut, a long comment, too, and nothing takes long', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `KEY_${at}="`).join('\n');
  expect(parseEnvTemplate(many).length).toBeLessThanOrEqual(mostKeys);
  expect(parseEnvTemplate(`${'# a\n'.repeat(50_000)}A=`)[0]?.comment).toBe('a '.repeat(20).trim());
  expect(one(`# ${'w'.repeat(5_000)}\nA=${'x '.repeat(50_000)}`)?.comment.length).toBe(501);
});
