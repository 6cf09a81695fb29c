import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { type AgentPeer, agentPeer } from '../../test/agents/agent-peer.ts';
import { type ReleaseSigner, releaseSigner } from '../../test/agents/release-signer.ts';
import { archive } from '../bundle/archive.ts';
import { fingerprintIn, TrustFile } from '../home/trust.ts';
import { Client } from '../link/client.ts';
import { imageName, shortDigest } from './download.ts';
import { Releases } from './releases.ts';
import { update } from './update.ts';

const current = '0123456789ab';
const credential = 'secret';
let home: string;
let peer: AgentPeer;
let client: Client;
let signer: ReleaseSigner;
let releases: Releases;
let trust: TrustFile;

beforeEach(async () => {
  home = temporaryFolder();
  releases = new Releases(home);
  mkdirSync(releases.path(current), { recursive: true });
  releases.write({ current });
  signer = releaseSigner();
  trust = new TrustFile(home);
  trust.write({ fingerprint: signer.fingerprint, epoch: 50, from: 'join' });
  peer = await agentPeer();
  peer.credentials.add(createHash('sha256').update(credential).digest('hex'));
  client = new Client({ url: peer.url, credential: () => credential });
});
afterEach(async () => {
  client.close();
  await peer.stop();
});

async function bundleOf(files: Record<string, string>): Promise<Buffer> {
  const entries = Object.entries({ ballast: '#!/bin/sh\necho 9\n', ...files });
  return gzipSync(
    await archive(entries.map(([name, text]) => ({ name, bytes: Buffer.from(text), executable: name === 'ballast' }))),
  );
}

type Prove = (digest: string) => ReleaseProof | undefined;
interface Offer {
  prove?: Prove;
  digest?: string;
  sizeBytes?: number;
  starts?: number;
}

/** Has an agent updated to this bundle; `switched` is how often it gave way to its launcher. */
async function offered(bytes: Buffer, offer: Offer = {}) {
  const { digest = digestOf(bytes), sizeBytes = bytes.length, prove = signer.prove, starts = 1 } = offer;
  const id = randomUUID();
  peer.bundles.set(digest, bytes);
  const proof = prove(digest);
  const told = { ...{ image: imageName('9', digest), digest, sizeBytes, confirmSeconds: 20 }, ...(proof && { proof }) };
  let switched = 0;
  let said = '';
  const output = (_: string, part: Buffer) => {
    said += part;
  };
  const run = { id, starts, output, began: () => {}, signal: new AbortController().signal };
  const switchOver = () => {
    switched += 1;
  };
  const options = { releases, client, trust, running: current, switchOver };
  const result = await update({ kind: 'update', ...told }, run, options).catch((error: Error) => error.message);
  return { id, digest, release: shortDigest(digest), result, switched, said };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function expectRefused(bytes: Buffer, sentence: string, offer?: Offer): Promise<void> {
  const { result, release, switched } = await offered(bytes, offer);
  expect(result).toContain(sentence);
  expect(switched).toBe(0);
  expect(existsSync(releases.path(release))).toBe(false);
  expect(releases.read()).toEqual({ current });
}

const downloads = () => peer.requests.filter((asked) => asked.startsWith('bundles/'));

test('a server in the place of the API cannot have its own program run, however it is offered', async () => {
  const squatter = releaseSigner();
  const first = signer.prove(digestOf(Buffer.from('the first')));
  const followed: Prove = (digest) => {
    // As if the pinned key had vouched for the squatter's.
    const link = squatter.says({ kind: 'key', key: squatter.key, epoch: 999 });
    return { ...squatter.prove(digest), key: signer.key, chain: [link] };
  };
  const other = process.platform === 'linux' ? 'darwin-arm64' : 'linux-x64';
  const attempts: [Prove, string][] = [
    [() => undefined, 'is not signed'],
    [squatter.prove, 'not signed by the key that this agent trusts'],
    [followed, 'not signed by the key that this agent trusts'],
    [(digest) => ({ ...squatter.prove(digest), key: signer.key }), 'not signed by the key that this agent trusts'],
    // All that the installation ever signed is known to whoever reads its database.
    [() => first, 'about another program'],
    [(digest) => signer.prove(digest, { kind: 'runtime' }), 'about another program'],
    [(digest) => signer.prove(digest, { platform: other }), `is for ${other}`],
    [(digest) => signer.prove(digest, { epoch: 7 }), 'is older (epoch 7)'],
  ];
  const evil = await bundleOf({ NOTES: 'Not from here.' });
  const pinned = trust.read();
  for (const [prove, sentence] of attempts) await expectRefused(evil, sentence, { prove });
  trust.forget();
  await expectRefused(evil, 'trusts no key yet');
  expect(pinned).toMatchObject({ fingerprint: signer.fingerprint, epoch: 50 });
  expect(downloads()).toEqual([]);
});

test('a release that is not the one that was named, or does not run here, changes nothing', async () => {
  const good = await bundleOf({});
  await expectRefused(good, 'not the one that was named', { digest: `sha256:${'0'.repeat(64)}` });
  await expectRefused(good, 'sends more than the release has', { sizeBytes: good.length - 1 });
  await expectRefused(good, 'more than a release can have', { sizeBytes: 2 ** 40 });
  await expectRefused(await bundleOf({ '../climbed': 'x' }), 'not a plain file');
  expect(existsSync(join(home, 'releases', 'climbed'))).toBe(false);
  const broken = await offered(await bundleOf({ ballast: '#!/bin/sh\necho nonsense >&2; exit 3\n' }));
  expect(broken.result).toContain('does not run on this machine: nonsense');
  expect(broken.switched).toBe(0);
  expect(releases.read()).toEqual({ current });
});

test('a release is downloaded once, on from where it was cut off, and handed to the launcher', async () => {
  const bytes = await bundleOf({ NOTES: 'A better one.' });
  let cut = false;
  peer.disturb = () => {
    if (cut) return undefined;
    cut = true;
    return 'cut';
  };
  const better = await offered(bytes);
  expect(better).toMatchObject({ result: 'left open', switched: 1 });
  expect(better.said).toContain(`Switching to ballast-agent:9-${better.release}.`);
  const next = { release: better.release, seconds: 20, command: better.id, tries: 0 };
  expect(releases.read()).toEqual({ current, next });
  expect(readFileSync(join(releases.path(better.release), 'NOTES'), 'utf8')).toBe('A better one.');
  expect(downloads()).toHaveLength(2);
  // One that is on disk is that of its digest: neither its signature nor its bytes are asked for again.
  expect(await offered(bytes, { prove: () => undefined })).toMatchObject({ result: 'left open', switched: 1 });
  expect(downloads()).toHaveLength(2);

  releases.confirm(better.release);
  expect(releases.read()).toEqual({ current: better.release, previous: current });
  expect((await offered(bytes)).result).toEqual({ outcome: 'done', exitCode: 0 });
  expect((await offered(await bundleOf({}), { starts: 4 })).result).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('interrupted 3 times'),
  });
  mkdirSync(releases.path('ba9876543210'));
  releases.clear();
  expect(readdirSync(releases.directory).sort()).toEqual([current, better.release, 'state'].sort());
});

test('a changed key is followed along its chain, a lost one only when somebody at the machine says so', async () => {
  const next = releaseSigner();
  const link = signer.says({ kind: 'key', key: next.key, epoch: 500 });
  const byNext: Prove = (digest) => ({ ...next.prove(digest, { epoch: 501 }), key: signer.key, chain: [link] });
  const changed = await offered(await bundleOf({ NOTES: 'By the next key.' }), { prove: byNext });
  expect(changed.result).toBe('left open');
  expect(trust.read()).toMatchObject({ fingerprint: next.fingerprint, epoch: 501, from: 'join' });
  releases.write({ current });
  // The key before it counts no more: it may be known to others by now.
  const byOld: Prove = (digest) => signer.prove(digest, { epoch: 502 });
  await expectRefused(await bundleOf({ NOTES: 'By the old key.' }), next.fingerprint, { prove: byOld });

  const found = releaseSigner();
  const notes = await bundleOf({ NOTES: 'After the loss.' });
  const early: Prove = (digest) => found.prove(digest, { epoch: 1 });
  await expectRefused(notes, 'not signed by the key', { prove: early });
  expect(() => fingerprintIn('abc')).toThrow('64 hexadecimal digits');
  trust.write({ fingerprint: fingerprintIn(`SHA256:${found.fingerprint}`), epoch: 0, from: 'operator' });
  expect((await offered(notes, { prove: early })).result).toBe('left open');
});

test('an agent from before releases were signed pins the key that it is told first, and no other', async () => {
  trust.forget();
  const told = { key: signer.key, chain: [] };
  expect(trust.follow(told)).toEqual({ pinned: expect.stringContaining(signer.fingerprint) });
  expect(trust.read()).toMatchObject({ fingerprint: signer.fingerprint, from: 'first-use', epoch: 0 });
  expect(trust.follow(told)).toBeUndefined();
  const other = releaseSigner();
  const strange = { strange: expect.stringContaining('signs with another key than the pinned one') };
  expect(trust.follow({ key: other.key, chain: [] })).toEqual(strange);
  expect(trust.read()?.fingerprint).toBe(signer.fingerprint);
  const link = signer.says({ kind: 'key', key: other.key, epoch: 500 });
  expect(trust.follow({ key: signer.key, chain: [link] })).toEqual({ pinned: expect.stringContaining('was changed') });
  expect(trust.read()?.fingerprint).toBe(other.fingerprint);
});
