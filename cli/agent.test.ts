import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { currentRelease } from '../db/agent-updates/agent-releases.ts';
import { fingerprintOf, type ProgramStatement, releaseProof } from '../protocol/release-proof.ts';
import { newestKey, provenProgram } from '../protocol/verify-proof.ts';
import { openHome } from '../runtime/home/home.ts';
import { freshDatabase } from '../test/ground/fresh-database.ts';
import { signingKeyFile, signRelease } from './agent.ts';

const fresh = await freshDatabase();
const directory = mkdtempSync(join(tmpdir(), 'ballast-sign-'));
const home = openHome(join(directory, 'home'));
// The agent of this checkout is made once a run, also for test/machines/release-ground.ts.
const made = join(tmpdir(), 'agent-bundle');
mkdirSync(made, { recursive: true });
symlinkSync(made, join(home.path, 'cache'));
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await fresh.drop();
});

const sign = (change?: Parameters<typeof signRelease>[2]) => signRelease(home, fresh.database, change);
const stored = async () => releaseProof.parse((await currentRelease(fresh.database.kysely))?.proof);

test('a release is signed once; a changed key is vouched for by the one before, a lost one by nobody', async () => {
  const first = await sign();
  expect(statSync(signingKeyFile(home)).mode & 0o777).toBe(0o600);
  const proof = await stored();
  const said = provenProgram(first.fingerprint, proof, proof.release);
  expect(said).toMatchObject({ kind: 'agent', platform: 'any', digest: first.digest, version: first.version });
  const node = proof.runtime && provenProgram(first.fingerprint, proof, proof.runtime);
  expect(node).toMatchObject({ kind: 'runtime', platform: `${process.platform}-${process.arch}` });
  // The digest stands for the bytes, of which there are millions to compare.
  expect({ ...(await sign()), bytes: undefined }).toEqual({ ...first, bytes: undefined });
  expect(await stored()).toEqual(proof);

  const changed = await sign('change');
  expect(changed.fingerprint).not.toBe(first.fingerprint);
  expect(changed.epoch).toBeGreaterThan(first.epoch);
  const next = await stored();
  expect(fingerprintOf(newestKey(first.fingerprint, next) ?? '')).toBe(changed.fingerprint);
  const again: ProgramStatement | undefined = provenProgram(first.fingerprint, next, next.release);
  expect(again).toMatchObject({ digest: first.digest, epoch: changed.epoch });
  // Who has followed believes the old key no more.
  expect(newestKey(changed.fingerprint, proof)).toBeUndefined();

  rmSync(signingKeyFile(home));
  await expect(sign()).rejects.toThrow(/release-signing-key\.json is missing.*--replace-lost-key/);
  const replaced = await sign('replace-lost');
  expect(newestKey(changed.fingerprint, await stored())).toBeUndefined();
  expect(provenProgram(replaced.fingerprint, await stored(), (await stored()).release)).toBeDefined();
});
