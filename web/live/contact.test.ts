import { expect, test } from 'vitest';
import { silenceOf } from './contact.ts';

test.each([
  ['/trpc/teams.list?input=x', 'GET', 'question'],
  ['/trpc/teams.create', 'POST', 'change'],
  ['/trpc/gitConnections.createSelfhosted', 'POST', 'change'],
  // Their pages say that a host of repositories is asked.
  ['/trpc/repositoryConfig.detectProject', 'POST', undefined],
  ['/trpc/gitConnections.branches?input=x', 'GET', undefined],
  ['/trpc/gitConnections.repositories?input=x', 'GET', undefined],
])('%s by %s, answered late, is a silent %s', (url, method, kind) => {
  expect(silenceOf(url, method)).toBe(kind);
});
