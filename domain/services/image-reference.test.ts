import { expect, test } from 'vitest';
import { nameAtHome, parseImage } from './image-reference.ts';

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

test('with three parts and no host it is of the registry of the control plane', () => {
  const repository = 'acme/shop/web';
  expect(parseImage('acme/shop/web:1.2')).toEqual({ own: true, host: '', repository, tag: '1.2' });
  expect(parseImage(`acme/shop/web@${digest}`)).toEqual({ own: true, host: '', repository, digest });
});

test.each([
  ['ballast.example.com/acme/shop/web:1', { path: ['acme', 'shop', 'web'], certain: true, tag: '1' }],
  ['localhost:8088/acme/shop/web', { path: ['acme', 'shop', 'web'], certain: true }],
  [`acme/shop/web@${digest}`, { path: ['acme', 'shop', 'web'], certain: true, digest }],
  ['shop/web:1', { path: ['shop', 'web'], certain: false, tag: '1' }],
  ['web:1', { path: ['web'], certain: false, tag: '1' }],
  ['library/web:1', { path: ['library', 'web'], certain: false, tag: '1' }],
  ['docker.io/web:1', undefined],
  ['docker.io/shop/web:1', undefined],
  ['localhost:5000/acme/shop/web:1', undefined],
  [':1', undefined],
])('%s as a name of the registry here', (text, is) => {
  expect(nameAtHome(text, ['ballast.example.com', 'localhost:8088'])).toEqual(is);
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
