import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { releaseSigner } from '../../test/agents/release-signer.ts';
import { environment, ReleaseGround, runBundle } from '../../test/machines/release-ground.ts';

test('nothing is installed that the key of the command has not signed, with every verifier and for every reason', async () => {
  const bundle = await runBundle();
  const ground = await ReleaseGround.on(bundle);
  const other = releaseSigner();
  const cases: [ReleaseProof, string][] = [
    [other.prove(bundle.digest), 'signs with another key'],
    [{ ...ground.first, release: other.prove(bundle.digest).release }, 'is not signed by the key'],
    [ground.signer.prove(bundle.digest, { platform: 'plan9-mips' }), 'is for another platform'],
    [ground.signer.prove(bundle.digest, { kind: 'runtime' }), 'something else than an agent'],
    [ground.signer.prove(`sha256:${'0'.repeat(64)}`), 'cannot be downloaded'],
  ];
  // Without a Node of this version, and without one at all.
  const bare = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  try {
    for (const [proof, sentence] of cases) {
      for (const given of [environment, bare]) {
        const { code, said } = await ground.install({ proof, environment: given });
        expect(said).toContain(sentence);
        expect(code).toBe(1);
        expect(readdirSync(ground.home.path)).toEqual([]);
      }
    }
  } finally {
    await ground.close();
  }
});
