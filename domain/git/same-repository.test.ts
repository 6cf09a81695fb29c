import { expect, test } from 'vitest';
import { sameRepository, sameUrl } from './address.ts';
import type { GitProvider } from './connections.ts';

test.each<[GitProvider, string, string, boolean]>([
  ['github', 'Team/App', 'team/app', true],
  ['gitlab', 'team/app.git', 'team/app', true],
  ['plain', 'Team/App', 'team/app', false],
  ['github', 'team/app', 'team/app2', false],
  ['github', 'mallory/app', 'team/app', false],
])('of %s, %j and %j: %j', (provider, one, other, same) => {
  expect(sameRepository(provider, one, other)).toBe(same);
});

test.each<[GitProvider, string, string, boolean]>([
  ['github', 'https://GitHub.com/Team/App', 'https://github.com/team/app.git', true],
  ['github', 'https://github.com/team/app.git/', 'https://github.com/team/app.git', true],
  ['github', 'https://github.com:443/team/app', 'https://github.com/team/app.git', true],
  ['github', 'https://github.com.evil.example/team/app', 'https://github.com/team/app.git', false],
  ['gitea', 'https://git.example.com:8443/team/app', 'https://git.example.com/team/app.git', false],
  ['gitea', 'http://git.example.com/team/app', 'https://git.example.com/team/app.git', false],
  ['plain', 'https://git.example.com/Team/app', 'https://git.example.com/team/app.git', false],
  ['plain', '', 'https://git.example.com/team/app.git', false],
])('of %s, %j and %j: %j', (provider, one, other, same) => {
  expect(sameUrl(provider, one, other)).toBe(same);
});
