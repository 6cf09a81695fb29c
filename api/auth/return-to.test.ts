import { describe, expect, test } from 'vitest';
import { isOurPath, ourPath } from './return-to.ts';

const ours = 'https://ballast.example.com';

describe('what leads to a page of ours', () => {
  test.each([
    '/',
    '/docs',
    '/docs?x=1#teams',
    '/invitations/abc',
    '/a//b',
    '/apis',
    '/?return_to=https://evil.example',
  ])('%s', (path) => {
    expect(isOurPath(path, ours)).toBe(true);
  });
});

describe('what leads elsewhere, or might', () => {
  test.each([
    '',
    'docs',
    'https://evil.example/',
    'HTTPS://evil.example/',
    'https:evil.example',
    'https://ballast.example.com/',
    'https://ballast.example.com@evil.example/',
    'https://ballast.example.com.evil.example/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\nLocation: https://evil.example',
    ' //evil.example',
    '/ok\u0000',
    '/ok\ud800',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '?x',
    '#x',
    '/api/v1/auth/start',
    '/API/v1',
    '/x/../api/v1/auth/callback',
    '/%61pi/v1',
    '/trpc/auth.session',
    '/oidc/session/end',
    '/agent/v1',
    `/${'x'.repeat(2000)}`,
  ])('%j', (path) => {
    expect(isOurPath(path, ours)).toBe(false);
    expect(() => ourPath(path, ours)).toThrow('query.return_to: must be the path of a page of this installation');
  });
});

test('without one, and in its plain form', () => {
  expect(ourPath(undefined, ours)).toBe('/');
  expect(ourPath('/a/../docs?q=1#b', ours)).toBe('/docs?q=1#b');
});
