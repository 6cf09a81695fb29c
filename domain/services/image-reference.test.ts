import { expect, test } from 'vitest';
import { parseImage } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  ['nginx', { host: 'docker.io', repository: 'library/nginx' }],
  ['team/app:1.2', { host: 'docker.io', repository: 'team/app', tag: '1.2' }],
  ['localhost:5000/app', { host: 'localhost:5000', repository: 'app' }],
  ['127.0.0.1:5000/a/b:x', { host: '127.0.0.1:5000', repository: 'a/b', tag: 'x' }],
  [`registry.example.com/app:1@${digest}`, { host: 'registry.example.com', repository: 'app', tag: '1', digest }],
])('%s', (text, is) => {
  expect(parseImage(text)).toEqual({ own: false, ...is });
});

test('without a name it is of the own repository', () => {
  expect(parseImage(':1.2')).toEqual({ own: true, host: '', repository: '', tag: '1.2' });
  expect(parseImage(`@${digest}`)).toEqual({ own: true, host: '', repository: '', digest });
});

test.each([
  '',
  ':',
  '@',
  'a b',
  'UPPER',
  'app:',
  'app@sha256:12',
  'x.example/',
  '../etc',
  'https://x.example/app',
  `a@${digest}@${digest}`,
])('no image: %s', (text) => {
  expect(parseImage(text)).toBeUndefined();
});
