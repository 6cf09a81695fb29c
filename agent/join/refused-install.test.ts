import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { runScript } from '../../test/agents/installed-agent.ts';
import { releaseSigner } from '../../test/agents/release-signer.ts';
import { environment, type Installing, ReleaseGround, runBundle } from '../../test/machines/release-ground.ts';
import { installScript } from './install-script.ts';

let ground: ReleaseGround;

const bundle = await runBundle();
beforeEach(async () => {
  ground = await ReleaseGround.on(bundle);
});
afterEach(() => ground.close());

test('nothing is installed that the key of the command has not signed, whatever verifies it', async () => {
  const other = releaseSigner();
  // Without a Node of this version.
  const bare = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const forged = { ...ground.first, release: other.prove(bundle.digest).release };
  const cases: [ReleaseProof, string, Record<string, string>?][] = [
    [other.prove(bundle.digest), 'signs with another key'],
    [forged, 'is not signed by the key'],
    [forged, 'is not signed by the key', bare],
    [ground.signer.prove(bundle.digest, { platform: 'plan9-mips' }), 'is for another platform', bare],
    [ground.signer.prove(bundle.digest, { kind: 'runtime' }), 'something else than an agent'],
    [ground.signer.prove(`sha256:${'0'.repeat(64)}`), 'cannot be downloaded'],
  ];
  for (const [proof, sentence, given = environment] of cases) {
    const { code, said } = await ground.install({ proof, environment: given });
    expect(said).toContain(sentence);
    expect(code).toBe(1);
    expect(readdirSync(ground.home.path)).toEqual([]);
  }
});

test('what cannot be installed is refused in a sentence and leaves nothing', async () => {
  const cases: [Installing, string][] = [
    [{ token: 'enrol_wrong' }, 'the token is unknown, used or expired'],
    [{ token: '' }, 'is empty or malformed'],
    [{ token: '"; touch /tmp/x' }, 'is empty or malformed'],
    [{ args: ['--home', ground.path()] }, 'names no key to trust'],
    [{ args: ['--home', ground.path(), '--trust', 'x'] }, 'is none'],
    [{ args: ['--hom', 'x'] }, 'There is no option --hom'],
    [{ args: ['--home', `${ground.path()} x`] }, 'other characters'],
    [{ args: ['--home', ground.path(), '--driver', 'magic'] }, 'There is no driver magic'],
    [{ args: ['--home', ground.path(), '--docker-socket', 'docker.sock'] }, 'is no absolute path'],
    [{ args: ['--home', ground.path(), '--docker-socket', '/run/x y.sock'] }, 'other characters'],
  ];
  for (const [options, sentence] of cases) {
    const { code, said } = await ground.install(options);
    expect(said).toContain(sentence);
    expect(code).toBe(1);
    expect(readdirSync(ground.home.path)).toEqual([]);
  }
  // Another release than the one whose digest the script has.
  ground.peer.bundles.set(bundle.digest, Buffer.from(bundle.bytes).fill(0, 100, 200));
  expect(await ground.install()).toMatchObject({
    code: 1,
    said: expect.stringContaining('not the one that was signed'),
  });
  expect(readdirSync(ground.home.path)).toEqual([]);
  ground.peer.bundles.set(bundle.digest, bundle.bytes);
  // The enrolment itself is refused after everything was there.
  ground.peer.disturb = (asked) =>
    asked === 'enrol' ? { status: 403, problem: 'The token was used already.' } : undefined;
  expect(await ground.install()).toMatchObject({
    code: 1,
    said: expect.stringContaining('The token was used already.'),
  });
  expect(readdirSync(ground.home.path)).toEqual([]);
  // A script that was cut off anywhere does nothing.
  const whole = installScript({
    url: ground.peer.url,
    release: { image: 'x', version: '1', digest: bundle.digest, sizeBytes: 1 },
    proof: ground.first,
  });
  const cut = whole.slice(0, whole.lastIndexOf('ballast_install'));
  const { said } = await runScript(cut, { args: ['--home', ground.path()], input: ground.peer.token });
  expect(said).toBe('');
  expect(readdirSync(ground.home.path)).toEqual([]);
});
