import { expect, test } from 'vitest';
import type { Role } from '../roles.ts';
import { isLoosened, type TrustedJobs } from './guards.ts';

const jobs: TrustedJobs = {
  issuer: 'https://ci.example.com',
  audience: 'ballast',
  claims: { repository: ['octo/app', 'octo/web'], ref: ['refs/heads/main'] },
  role: 'deployer',
  projectIds: ['p1', 'p2'],
};

test('of an environment and of a service only the way out of approvals loosens', () => {
  const changes = [true, false].flatMap((before) => [true, false].map((after) => ({ before, after })));
  expect(changes.filter((one) => isLoosened({ guard: 'production', ...one }))).toEqual([
    { before: true, after: false },
  ]);
  expect(changes.filter((one) => isLoosened({ guard: 'skip-approval', ...one }))).toEqual([
    { before: false, after: true },
  ]);
});

test.each<[string, Partial<TrustedJobs> | null, boolean]>([
  ['deleted', null, false],
  ['the same', {}, false],
  ['another issuer', { issuer: 'https://other.example.com' }, true],
  ['another audience', { audience: 'other' }, true],
  ['a higher role', { role: 'admin' }, true],
  ['a lower role', { role: 'viewer' }, false],
  ['all projects', { projectIds: null }, true],
  ['one more project', { projectIds: ['p1', 'p2', 'p3'] }, true],
  ['fewer projects', { projectIds: ['p2'] }, false],
  ['one more pattern', { claims: { ...jobs.claims, ref: ['refs/heads/main', 'refs/heads/*'] } }, true],
  ['another pattern', { claims: { ...jobs.claims, ref: ['refs/heads/*'] } }, true],
  ['fewer patterns', { claims: { ...jobs.claims, repository: ['octo/web'] } }, false],
  ['a claim less', { claims: { repository: jobs.claims.repository ?? [] } }, true],
  ['a claim more', { claims: { ...jobs.claims, environment: ['production'] } }, false],
])('a trusted issuer that becomes %s', (_, more, expected) => {
  const after = more === null ? null : { ...jobs, ...more };
  expect(isLoosened({ guard: 'trusted-issuer', before: jobs, after })).toBe(expected);
});

test('a trusted issuer that is created loosens, and one of all projects is narrowed to some', () => {
  expect(isLoosened({ guard: 'trusted-issuer', before: null, after: jobs })).toBe(true);
  expect(isLoosened({ guard: 'trusted-issuer', before: { ...jobs, projectIds: null }, after: jobs })).toBe(false);
});

test.each<[Role | null, Role | null, boolean]>([
  [null, 'deployer', false],
  [null, 'admin', true],
  ['viewer', 'deployer', false],
  ['deployer', 'admin', true],
  ['admin', 'owner', true],
  ['owner', 'admin', false],
  ['admin', 'viewer', false],
  ['admin', 'admin', false],
  ['admin', null, false],
])('a role that changes from %s to %s', (before, after, expected) => {
  expect(isLoosened({ guard: 'role', before, after })).toBe(expected);
});
