import { expect, test } from 'vitest';
import { asGiven, asKind, deployCommand, ofConnection, sourceLine } from './source.ts';

const how = { builder: 'auto', context: '', dockerfile: '', target: '' } as const;

test('a source of another kind has nothing left of the one before', () => {
  const image = { kind: 'image', imageRepository: 'web:1', ...how, gitUrl: '', repository: '' } as const;
  expect(asKind('git', image)).toEqual({ kind: 'git', ...how, gitUrl: '' });
  expect(asKind('upload', { kind: 'git', ...how, gitConnectionId: 'c', repository: 'team/app' })).toEqual({
    kind: 'upload',
    ...how,
  });
  expect(asKind('image', { kind: 'git', ...how, gitUrl: 'https://x/y' })).toEqual({
    kind: 'image',
    imageRepository: '',
  });
  expect(asKind('image', undefined)).toEqual({ kind: 'image', imageRepository: '' });
});

test('a repository is of a connection or has an address, never both', () => {
  const byAddress = { kind: 'git', ...how, gitUrl: 'https://x/y' } as const;
  const ofOne = ofConnection(byAddress, 'c');
  expect(ofOne).toEqual({ kind: 'git', ...how, gitConnectionId: 'c', repository: '' });
  expect(ofConnection(ofOne, '')).toEqual({ kind: 'git', ...how, gitUrl: '' });
});

test('a source in a line, and the command of a folder', () => {
  expect(sourceLine({ kind: 'git', repository: 'team/app', context: 'apps/web' })).toBe('team/app, folder apps/web');
  expect(sourceLine({ kind: 'image', imageRepository: 'web:1', gitUrl: 'https://x/y' })).toBe('web:1');
  const shop = { project: 'shop', environment: 'staging' };
  expect(deployCommand({ ...shop, service: 'Web Shop' })).toBe(
    'ballast deploy . --project shop --environment staging --service web-shop',
  );
  expect(deployCommand({ ...shop, service: '' })).toMatch(/--service SERVICE$/);
});

test('the repository of a trigger is that of its source, and is not sent twice', () => {
  const source = {
    kind: 'git',
    imageRepository: '',
    ...how,
    gitUrl: '',
    gitConnectionId: 'c',
    repository: 'team/app',
  } as const;
  const trigger = { gitConnectionId: 'c', repository: 'team/app', tagTemplate: 'v*' };
  expect(asGiven({ ...source, trigger })).toEqual({ ...source, trigger: { tagTemplate: 'v*' } });
  expect(asGiven(source)).toEqual(source);
});
