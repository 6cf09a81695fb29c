import { describe, expect, test } from 'vitest';
import { unpinned } from './pinned-claims.ts';

const github = 'https://token.actions.githubusercontent.com';

describe('issuers that strangers share', () => {
  test.each([
    [github, { repository: ['octo/app'] }],
    [github, { repository: ['octo/*', 'other/app-*'] }],
    [github, { repository_id: ['42'] }],
    [github, { repository_owner: ['octo'], ref: ['*'] }],
    [github, { repository_owner_id: ['42'] }],
    [github, { sub: ['repo:octo/*'] }],
    [`${github}/enterprise`, { repository_owner: ['octo'] }],
    ['https://gitlab.com', { project_path: ['group/*'] }],
    ['https://gitlab.com', { namespace_path: ['group'] }],
    ['https://gitlab.com', { namespace_path: ['group/*'] }],
    ['https://gitlab.com', { project_id: ['7'], ref_protected: ['true'] }],
    ['https://gitlab.com', { sub: ['project_path:group/app:ref_type:branch:ref:*'] }],
  ])('%s %j says whose jobs', (issuer, claims) => {
    expect(unpinned(issuer, claims)).toBeUndefined();
  });

  test.each([
    [github, { ref: ['refs/heads/main'] }],
    [github, { repository: ['*'] }],
    [github, { repository: ['*/app'] }],
    [github, { repository: ['octo*'] }],
    [github, { repository: ['octo/app', '*'] }],
    [github, { repository_owner: ['octo*'] }],
    [github, { repository_id: ['4*'] }],
    [github, { sub: ['*'] }],
    [github, { sub: ['repo:*'] }],
    [github, { sub: ['repo:octo*/app:ref:x'] }],
    [github, { sub: ['environment:production'] }],
    [github, { project_path: ['octo/app'] }],
    [`${github}/enterprise`, { ref: ['x'] }],
    ['https://TOKEN.actions.githubusercontent.com./', { ref: ['x'] }],
    ['https://gitlab.com', { namespace_path: ['group*'] }],
    ['https://gitlab.com', { ref: ['main'] }],
    ['https://gitlab.com', { sub: ['project_path:group*'] }],
    ['https://gitlab.com', { constructor: ['group'] }],
  ])('%s %j does not', (issuer, claims) => {
    expect(unpinned(issuer, claims)).toContain('must name the owner of the jobs');
  });
});

test('an issuer of one’s own needs a claim that says something', () => {
  expect(unpinned('https://gitlab.example.com', { ref: ['main'] })).toBeUndefined();
  expect(unpinned('https://gitlab.example.com', { ref: ['main', '*'], sub: ['**'] })).toContain('every job there is');
  expect(unpinned('https://gitlab.example.com', {})).toContain('every job there is');
});
