import { expect, test } from 'vitest';
import {
  defaultProcess,
  emptyDefinition,
  type PlacedProcess,
  type ReleaseContent,
} from '../../domain/services/settings.ts';
import { contentDigest } from './content-digest.ts';

const keyring = { derivedSecret: async () => Buffer.alloc(32) };
const contentOf = (more: Partial<PlacedProcess> = {}): ReleaseContent => ({
  settings: { ...emptyDefinition, processes: { p1: { ...defaultProcess, name: 'web', ...more } } },
  image: { repository: 'registry.example.com/app', digest: `sha256:${'1'.repeat(64)}`, own: false },
  variables: { A: '1' },
});
const digestOf = (content: ReleaseContent, withoutReplicas = false) =>
  contentDigest(keyring, 'o', content, { S: 'x' }, { withoutReplicas });

test('a release without volumes has the digest that it had before there were any', async () => {
  expect(await digestOf(contentOf())).toBe('sha256:02e603c64a8b5e9e7b1acf1d637a150819e5e37c5c63344992e55936cdd5ebdd');
  expect(await digestOf(contentOf(), true)).toBe(
    'sha256:3fc022090c667086e6094b9e250e2f635d5d67dbdc9f3536b3e41314b8c1e38b',
  );
});

test('volumes are part of it; a size asks for no new instances', async () => {
  const volumes = (sizeBytes: number) => ({
    volumes: { v1: { name: 'data', mountPath: '/data', sizeBytes, storageClass: '' } },
  });
  const [small, large] = [contentOf(volumes(1)), contentOf(volumes(2))];
  expect(await digestOf(small)).not.toBe(await digestOf(contentOf()));
  expect(await digestOf(small)).not.toBe(await digestOf(large));
  expect(await digestOf(small, true)).toBe(await digestOf(large, true));
  expect(await digestOf(small, true)).not.toBe(await digestOf(contentOf(), true));
});
