import { describe, expect, test } from 'vitest';
import type { GitProvider } from '../connections.ts';
import { type Delivery, deliveryOf } from './delivery.ts';
import type { DeliveryHeaders } from './verify.ts';

const [before, after, tagObject] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40)];
const none = '0'.repeat(40);
const commit = { id: after, message: 'Say hello\n\nAnd more.' };

const github = {
  ...{ ref: 'refs/heads/main', before, after, deleted: false, forced: false },
  repository: { full_name: 'Team/App', default_branch: 'main', fork: false },
  pusher: { name: 'ada', email: 'ada@example.com' },
  ...{ head_commit: commit, commits: [commit] },
};
const gitea = {
  ...{ ref: 'refs/heads/main', before, after, head_commit: commit, commits: [commit] },
  repository: { full_name: 'team/app', default_branch: 'main', fork: false },
  pusher: { login: 'ada', full_name: 'Ada Lovelace', username: 'ada' },
};
const gitlab = {
  ...{ object_kind: 'push', event_name: 'push', ref: 'refs/heads/main', before, after, checkout_sha: after },
  ...{ user_name: 'Ada Lovelace', user_username: 'ada', commits: [{ id: before, message: 'Old' }, commit] },
  project: { path_with_namespace: 'group/team/app', default_branch: 'main' },
};
const plain = {
  repository: 'team/app',
  ref: 'refs/heads/main',
  commit: after,
  before,
  message: 'Say hello',
  author: 'ada',
};

const push = { 'x-github-event': 'push' };
const pushed: Partial<Delivery> = {
  kind: 'push',
  ref: 'refs/heads/main',
  before,
  commit: after,
  message: 'Say hello',
  why: '',
};

test.each<[string, GitProvider, DeliveryHeaders, unknown, Partial<Delivery>]>([
  ['GitHub', 'github', push, github, { ...pushed, repository: 'Team/App', author: 'ada', defaultBranch: 'main' }],
  ['Gitea', 'gitea', { 'x-gitea-event': 'push' }, gitea, { ...pushed, repository: 'team/app', author: 'Ada Lovelace' }],
  ['Forgejo', 'gitea', { 'x-forgejo-event': 'push' }, gitea, pushed],
  [
    'GitLab',
    'gitlab',
    { 'x-gitlab-event': 'Push Hook' },
    gitlab,
    { ...pushed, repository: 'group/team/app', author: 'Ada Lovelace' },
  ],
  ['plain', 'plain', {}, plain, { ...pushed, repository: 'team/app', author: 'ada' }],
  ['plain of every host', 'github', { 'x-ballast-signature': 't=1' }, plain, pushed],
  [
    'a tag with a message',
    'github',
    push,
    { ...github, ref: 'refs/tags/v1', after: tagObject },
    { kind: 'tag', ref: 'refs/tags/v1', commit: after },
  ],
  [
    'a tag of GitLab',
    'gitlab',
    {},
    { ...gitlab, object_kind: 'tag_push', ref: 'refs/tags/v1', after: tagObject },
    { kind: 'tag', commit: after },
  ],
  [
    'a deleted branch',
    'github',
    push,
    { ...github, after: none, deleted: true, head_commit: null },
    { kind: 'deleted', commit: '' },
  ],
  [
    'a deleted tag of GitLab',
    'gitlab',
    {},
    { ...gitlab, object_kind: 'tag_push', ref: 'refs/tags/v1', after: none, checkout_sha: null },
    { kind: 'deleted', commit: '' },
  ],
  ['plain, deleted', 'plain', {}, { ...plain, commit: '' }, { kind: 'deleted' }],
  ['a ping', 'github', { 'x-github-event': 'ping' }, { zen: 'Keep it logically awesome.' }, { kind: 'ping' }],
  ['a plain ping', 'plain', {}, { ping: true }, { kind: 'ping' }],
  ['a commit of SHA-256', 'plain', {}, { ...plain, commit: 'a'.repeat(64) }, { kind: 'push', commit: 'a'.repeat(64) }],
])('%s', (_, provider, headers, body, is) => {
  expect(deliveryOf(provider, headers, body)).toMatchObject(is);
});

describe('nothing is built of', () => {
  test.each<[string, GitProvider, DeliveryHeaders, unknown, string]>([
    [
      'a pull request',
      'github',
      { 'x-github-event': 'pull_request' },
      { ...github, number: 1 },
      'may come from a fork',
    ],
    [
      'one that runs with rights',
      'github',
      { 'x-github-event': 'pull_request_target' },
      github,
      'may come from a fork',
    ],
    ['a pull request of Gitea', 'gitea', { 'x-gitea-event': 'pull_request' }, gitea, 'may come from a fork'],
    ['a merge request', 'gitlab', {}, { ...gitlab, object_kind: 'merge_request' }, 'may come from a fork'],
    ['a pull request as a push', 'github', push, { ...github, ref: 'refs/pull/1/head' }, 'no branch and no tag'],
    ['an issue', 'github', { 'x-github-event': 'issues' }, github, '"issues" build nothing'],
    ['no event', 'github', {}, github, 'without a name'],
    ['a list', 'github', push, [github], 'no repository'],
    ['null', 'gitlab', {}, null, 'without a name'],
    ['a short commit', 'plain', {}, { ...plain, commit: 'abc' }, 'no commit'],
    ['an option for a commit', 'plain', {}, { ...plain, commit: '--upload-pack=touch' }, 'no commit'],
    ['a number for a ref', 'plain', {}, { ...plain, ref: 1 }, 'no branch and no tag'],
    ['a ref with a line break', 'plain', {}, { ...plain, ref: 'refs/heads/a\nb' }, 'no branch and no tag'],
    ['a long ref', 'plain', {}, { ...plain, ref: `refs/heads/${'a'.repeat(300)}` }, 'no branch and no tag'],
    ['a long repository', 'plain', {}, { ...plain, repository: `a/${'b'.repeat(600)}` }, 'no repository'],
  ])('%s', (_, provider, headers, body, why) => {
    expect(deliveryOf(provider, headers, body)).toMatchObject({ kind: 'other', why: expect.stringContaining(why) });
  });
});

test('a push in a fork is of the fork, whose name is another', () => {
  const fork = { ...github, repository: { full_name: 'mallory/app', default_branch: 'main', fork: true } };
  expect(deliveryOf('github', push, fork)).toMatchObject({ kind: 'push', repository: 'mallory/app' });
});

test('texts are one line, without control characters, and cut', () => {
  const { message, author } = deliveryOf(
    'plain',
    {},
    { ...plain, message: `a\u0007\u202eb${'x'.repeat(600)}\nc`, author: `A\n${'y'.repeat(200)}` },
  );
  expect(message).toBe(`ab${'x'.repeat(498)}`);
  expect(author).toMatch(/^A y*$/);
  expect(author.length).toBeLessThanOrEqual(100);
});
