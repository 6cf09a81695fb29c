import { expect, test } from 'vitest';
import { isSameOrigin } from './same-origin.ts';

test.each([
  [{ origin: 'https://ballast.example.com' }, true],
  [{ origin: 'https://ballast.example.com', 'sec-fetch-site': 'cross-site' }, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'https://evil.example.com', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'http://ballast.example.com' }, false],
  [{ origin: 'https://ballast.example.com:8443' }, false],
  [{ origin: 'https://ballast.example.com.evil.com' }, false],
  [{ origin: 'null' }, false],
  [{ origin: '' }, false],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{}, false],
])('a form with %j is from our own pages: %s', (headers, own) => {
  expect(isSameOrigin(headers, 'https://ballast.example.com/')).toBe(own);
});
