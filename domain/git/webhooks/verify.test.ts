import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { GitProvider } from '../connections.ts';
import { type DeliveryHeaders, deliveryName, isProved, proofOf } from './verify.ts';

const secret = 'swordfish';
const now = 1_700_000_000_000;
const body = Buffer.from('{"ref":"refs/heads/main","message":"\u00e4"}');
const sign = (text: string | Buffer, key = secret) => createHmac('sha256', key).update(text).digest('hex');
const right = sign(body);
const at = (seconds: number, key = secret) =>
  `t=${seconds},v1=${sign(Buffer.concat([Buffer.from(`${seconds}.`), body]), key)}`;

test.each<[string, GitProvider, DeliveryHeaders, boolean]>([
  ['GitHub', 'github', { 'x-hub-signature-256': `sha256=${right}` }, true],
  ['GitHub in capitals', 'github', { 'x-hub-signature-256': `sha256=${right.toUpperCase()}` }, true],
  ['GitHub, another secret', 'github', { 'x-hub-signature-256': `sha256=${sign(body, 'other')}` }, false],
  ['GitHub, the old hash alone', 'github', { 'x-hub-signature': `sha1=${'0'.repeat(40)}` }, false],
  ['GitHub, twice', 'github', { 'x-hub-signature-256': [`sha256=${right}`, `sha256=${right}`] }, false],
  ['GitHub, too short', 'github', { 'x-hub-signature-256': `sha256=${right.slice(2)}` }, false],
  ['GitHub with the token of GitLab', 'github', { 'x-gitlab-token': secret }, false],
  ['Gitea', 'gitea', { 'x-gitea-signature': right }, true],
  ['Forgejo', 'gitea', { 'x-forgejo-signature': right }, true],
  ['Gitea as GitHub', 'gitea', { 'x-hub-signature-256': `sha256=${right}` }, true],
  ['Gitea, another body', 'gitea', { 'x-gitea-signature': sign('{}') }, false],
  ['GitLab', 'gitlab', { 'x-gitlab-token': secret }, true],
  ['GitLab, another token', 'gitlab', { 'x-gitlab-token': 'swordfisH' }, false],
  ['GitLab, a beginning', 'gitlab', { 'x-gitlab-token': 'sword' }, false],
  ['GitLab with a signature', 'gitlab', { 'x-hub-signature-256': `sha256=${right}` }, false],
  ['plain', 'plain', { 'x-ballast-signature': at(now / 1000) }, true],
  ['plain of every host', 'github', { 'x-ballast-signature': at(now / 1000) }, true],
  ['plain, almost too old', 'plain', { 'x-ballast-signature': at(now / 1000 - 300) }, true],
  ['plain, too old', 'plain', { 'x-ballast-signature': at(now / 1000 - 301) }, false],
  ['plain, of the future', 'plain', { 'x-ballast-signature': at(now / 1000 + 301) }, false],
  ['plain, time changed', 'plain', { 'x-ballast-signature': at(now / 1000).replace('t=17000', 't=17001') }, false],
  ['plain without time', 'plain', { 'x-ballast-signature': `v1=${right}` }, false],
  [
    'plain, the second of two secrets',
    'plain',
    { 'x-ballast-signature': `${at(now / 1000, 'new')},${at(now / 1000).split(',')[1]}` },
    true,
  ],
  ['nothing', 'plain', {}, false],
])('%s', (_, provider, headers, proved) => {
  expect(isProved(proofOf(provider, headers), secret, body, now)).toBe(proved);
  expect(isProved(proofOf(provider, headers), '', body, now)).toBe(false);
});

describe('the name of a message', () => {
  const nameOf = (provider: GitProvider, headers: DeliveryHeaders, bytes = body) =>
    deliveryName(proofOf(provider, headers), headers, bytes);
  const signed = { 'x-hub-signature-256': `sha256=${right}` };
  test('follows from what was signed, whatever its header says', () => {
    expect(nameOf('github', { ...signed, 'x-github-delivery': 'one' })).toBe(
      nameOf('github', { ...signed, 'x-github-delivery': 'two' }),
    );
    expect(nameOf('github', signed)).not.toBe(nameOf('github', signed, Buffer.from('{}')));
    expect(nameOf('plain', { 'x-ballast-signature': at(1) })).not.toBe(
      nameOf('plain', { 'x-ballast-signature': at(2) }),
    );
  });
  test('is what GitLab says, which signs nothing', () => {
    const token = { 'x-gitlab-token': secret };
    expect(nameOf('gitlab', { ...token, 'idempotency-key': 'f5e5f430-f57b' })).toBe('f5e5f430-f57b');
    expect(nameOf('gitlab', { ...token, 'x-gitlab-event-uuid': '13792a34-cac6' })).toBe('13792a34-cac6');
    expect(nameOf('gitlab', { ...token, 'idempotency-key': 'a\nb' })).toMatch(/^sha256:/);
  });
});
