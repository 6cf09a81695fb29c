import { expect, test } from 'vitest';
import { parseEnvText } from '../../../../domain/variables/env-text.ts';
import { envFileOf, keyWords, reasonOf } from './detection-words.ts';
import { namedIn } from './use-branches.ts';

const key = {
  ...{ key: 'A', comment: '', example: '', required: true, placeholder: false, secretSuggested: false },
  ...{ generateSuggested: false, existing: false, providedBy: '' },
};

test('a repository that cannot be read says so in a sentence with its subject', () => {
  const said = (place: string, message: string) => reasonOf({ fields: { [place]: message }, detail: '' }, 'next');
  expect(said('body.repository', 'cannot be read: git.example.com answered 500; try again later.')).toBe(
    'The repository cannot be read: git.example.com answered 500; try again later.',
  );
  expect(said('body.branch', 'is no branch of the repository; there are main, dev')).toBe(
    'The branch next is no branch of the repository; there are main, dev.',
  );
  expect(reasonOf({ fields: {}, detail: 'Too many requests.' }, 'next')).toBe('Too many requests.');
});

test('a repository is asked for once its name or address is whole', () => {
  const git = (more: object) => namedIn({ kind: 'git', ...more });
  expect(git({ gitUrl: 'https://git.example.com/team/app.git' })).toEqual({
    gitUrl: 'https://git.example.com/team/app.git',
  });
  expect(git({ gitUrl: 'https://git.example.com' })).toBeUndefined();
  expect(git({ gitUrl: 'https://ada:secret@git.example.com/team/app.git' })).toBeUndefined();
  expect(git({ gitConnectionId: 'c', repository: 'team/app' })).toEqual({
    gitConnectionId: 'c',
    repository: 'team/app',
  });
  expect(git({ gitConnectionId: 'c', repository: 'team/' })).toBeUndefined();
  expect(git({ gitConnectionId: 'c', repository: '' })).toBeUndefined();
  expect(namedIn({ kind: 'image', gitUrl: 'https://git.example.com/team/app.git' })).toBeUndefined();
});

test('each variable of a template says whether it is needed, and what for', () => {
  expect(keyWords(key)).toBe('needed');
  expect(keyWords({ ...key, secretSuggested: true, generateSuggested: true })).toBe(
    'needed, secret, any random text will do',
  );
  expect(keyWords({ ...key, required: false, example: '50' })).toBe('optional, for example 50');
  expect(keyWords({ ...key, providedBy: 'platform' })).toBe('given by Ballast');
});

test('the env file to fill in has no secret and nothing that is given already, and is read as it was meant', () => {
  const keys = [
    { ...key, key: 'PAGE_SIZE', example: '50' },
    { ...key, key: 'GREETING', example: 'Say "$HOME"\n#twice' },
    { ...key, key: 'TOKEN', example: 'abc', secretSuggested: true },
    { ...key, key: 'PLACE', example: 'your-place', placeholder: true },
    { ...key, key: 'PORT', example: '3000', providedBy: 'platform' },
  ];
  const read = parseEnvText(envFileOf(keys));
  expect(read.faults).toEqual([]);
  expect(read.variables.map(({ key: name, value }) => [name, value])).toEqual([
    ['PAGE_SIZE', '50'],
    ['GREETING', 'Say "$HOME"\n#twice'],
    ['TOKEN', ''],
    ['PLACE', ''],
  ]);
});
