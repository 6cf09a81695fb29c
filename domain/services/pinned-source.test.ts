import { expect, test } from 'vitest';
import { pinnedSource } from './image-reference.ts';
import { noSource } from './settings.ts';

const digest = `sha256:${'1'.repeat(64)}`;
const outside = { repository: 'registry.example.com/app', digest, own: false };
const own = { repository: 'acme/shop/api', digest, own: true };

test.each([
  ['another registry', outside, `registry.example.com/app:1.2@${digest}`, `registry.example.com/app:1.2@${digest}`],
  ['a text without the digest', outside, 'registry.example.com/app:1.2', `registry.example.com/app@${digest}`],
  ['the own registry', own, `acme/shop/api:1.2@${digest}`, `:1.2@${digest}`],
  ['the own registry, without a tag', own, `acme/shop/api@${digest}`, `@${digest}`],
  ['a project that was renamed since', own, `acme/old/api:1.2@${digest}`, `@${digest}`],
])('%s', (_, image, imageRef, imageRepository) => {
  expect(pinnedSource(noSource, image, imageRef)).toEqual({ ...noSource, imageRepository });
});

test('the credential is that of the image', () => {
  const source = { ...noSource, imageRepository: 'other.example.com/app:1', registryCredentialId: 'other' };
  expect(pinnedSource(source, outside, `registry.example.com/app@${digest}`)).not.toHaveProperty(
    'registryCredentialId',
  );
  const image = { ...outside, registryCredentialId: 'its' };
  expect(pinnedSource(source, image, '')).toMatchObject({ registryCredentialId: 'its' });
});

test('a service that is built keeps its source', () => {
  const source = { ...noSource, kind: 'git' as const, gitUrl: 'https://git.example.com/app.git' };
  expect(pinnedSource(source, outside, '')).toBe(source);
});
