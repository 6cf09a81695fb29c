import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { type AgentPeer, agentPeer } from '../../test/agents/agent-peer.ts';
import {
  agentHome,
  argumentsOf,
  changedBundle,
  processesNaming,
  runScript,
} from '../../test/agents/installed-agent.ts';
import { type ReleaseSigner, releaseSigner } from '../../test/agents/release-signer.ts';
import { until } from '../../test/ground/until.ts';
import { type Bundle, makeBundle } from '../bundle/make-bundle.ts';
import { TrustFile } from '../home/trust.ts';
import { installScript } from '../join/install-script.ts';
import { imageName, shortDigest } from './image-name.ts';
import { Releases } from './releases.ts';

let bundle: Bundle;
let peer: AgentPeer;
let home: ReturnType<typeof agentHome>;
let signer: ReleaseSigner;

/** Of the release that is installed. */
let first: ReleaseProof;

beforeAll(async () => {
  bundle = await makeBundle();
});
beforeEach(async () => {
  peer = await agentPeer();
  peer.bundles.set(bundle.digest, bundle.bytes);
  home = agentHome();
  signer = releaseSigner();
  first = signer.prove(bundle.digest);
});
afterEach(async () => {
  await home.close();
  await peer.stop();
});
afterAll(() => {
  expect(processesNaming('/ballast-installed-').filter((pid) => argumentsOf(pid).includes('launcher.sh'))).toEqual([]);
});

const environment = { BALLAST_NODE: process.execPath };
interface Installing {
  token?: string;
  proof?: ReleaseProof;
  args?: string[];
  /** Without it there is no Node, and OpenSSL verifies. */
  environment?: Record<string, string>;
}
function install(options: Installing = {}) {
  const { token = peer.token, proof = first } = options;
  const { image, version, digest, bytes } = bundle;
  const release = { image, version, digest, sizeBytes: bytes.length };
  const script = installScript({ url: peer.url, release, proof });
  const args = options.args ?? [...['--trust', signer.fingerprint, '--home', path()], ...unattended];
  return runScript(script, { args, input: `${token}\n`, environment: options.environment ?? environment });
}
const unattended = ['--driver', 'process', '--ingress-port', '0', '--no-systemd'];
const path = () => join(home.path, 'agent');
const state = () => new Releases(path()).read();

function offer(
  bytes: Buffer,
  confirmSeconds = 20,
  prove: (digest: string) => ReleaseProof | undefined = signer.prove,
): { id: string; release: string; image: string } {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const image = imageName(bundle.version, digest);
  const id = randomUUID();
  peer.bundles.set(digest, bytes);
  const proof = prove(digest);
  const body = {
    ...{ kind: 'update' as const, image, digest, sizeBytes: bytes.length, confirmSeconds },
    ...(proof === undefined ? {} : { proof }),
  };
  peer.commands.set(id, { id, attempt: 1, body });
  return { id, release: shortDigest(digest), image };
}
const resultOf = (id: string, seconds = 25) =>
  until('the result', async () => peer.results.find((told) => told.id === id)?.result, seconds);
const agents = () => processesNaming(path()).filter((pid) => argumentsOf(pid).includes('agent.mjs agent run'));
const ingress = () => processesNaming(path()).filter((pid) => argumentsOf(pid).includes('ingress.mjs'));

test('an installed agent is updated, and a release that does not reach the control plane goes away again', async () => {
  const { code, said } = await install();
  expect(said).toContain('is in contact with');
  expect(code).toBe(0);
  expect(peer.hellos.at(-1)?.image).toBe(bundle.image);
  const proxy = ingress();
  expect(proxy).toHaveLength(1);

  const better = offer(await changedBundle(bundle.bytes, { NOTES: 'A better one.' }));
  expect(await resultOf(better.id)).toMatchObject({ outcome: 'done' });
  expect(peer.hellos.at(-1)).toMatchObject({ image: better.image, journalled: [better.id] });
  expect(state()).toEqual({ current: better.release, previous: shortDigest(bundle.digest) });
  expect(ingress()).toEqual(proxy);

  // A release that prints its version and then idles: neither confirmed nor dead.
  const idle = `if (process.argv[2] === '--version') console.log('9'); else setInterval(() => {}, 1000);`;
  const bad = offer(await changedBundle(bundle.bytes, { 'agent.mjs': idle }), 2);
  const failed = await resultOf(bad.id);
  expect(failed).toMatchObject({ outcome: 'failed', message: 'It did not reach the control plane within 2 s.' });
  expect(peer.hellos.at(-1)).toMatchObject({ image: better.image, returned: { from: bad.image } });
  expect(state()?.current).toBe(better.release);

  // The launcher is killed while it tries one that dies at once, and started again: the old one comes back all the same.
  const dying = `if (process.argv[2] === '--version') console.log('9'); else process.exit(3);`;
  const worse = offer(await changedBundle(bundle.bytes, { 'agent.mjs': dying, NOTES: 'x' }), 60);
  const answered = resultOf(worse.id, 40);
  await until('the launcher tries it', async () => state()?.next?.tries === 1);
  const launchers = processesNaming(path()).filter((pid) => argumentsOf(pid).includes('launcher.sh'));
  for (const pid of launchers) process.kill(pid, 'SIGKILL');
  expect((await install()).said).toContain('This machine is enrolled already, for the cluster peer');
  expect(await answered).toMatchObject({ outcome: 'failed', message: expect.stringContaining('3 times') });
  expect(await until('one agent', async () => agents().length === 1)).toBe(true);
  expect(ingress()).toEqual(proxy);

  // Told and acknowledged once, it is not told for ever.
  const entry = join(path(), 'journal', `${worse.id}.json`);
  await until('acknowledged', async () => readFileSync(entry, 'utf8').includes('"gone"'));
  const hellos = peer.hellos.length;
  for (const pid of agents()) process.kill(pid, 'SIGKILL');
  await until('a further hello', async () => peer.hellos.length > hellos);
  expect(peer.hellos.at(-1)?.returned).toBeUndefined();
});

test('a release that is not the one that was named, or does not run here, changes nothing', async () => {
  expect((await install()).code).toBe(0);
  const before = state();
  const wrong = offer(bundle.bytes);
  const command = peer.commands.get(wrong.id);
  if (command?.body.kind !== 'update') throw new Error('no update');
  const named = `sha256:${'0'.repeat(64)}`;
  peer.bundles.set(named, bundle.bytes);
  peer.commands.set(wrong.id, { ...command, body: { ...command.body, digest: named, proof: signer.prove(named) } });
  expect(await resultOf(wrong.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('not the one'),
  });

  const broken = offer(await changedBundle(bundle.bytes, { 'agent.mjs': 'nonsense(' }));
  expect(await resultOf(broken.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('does not run'),
  });
  const climbing = offer(await changedBundle(bundle.bytes, { '../climbed': 'x' }));
  expect(await resultOf(climbing.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('not a plain file'),
  });
  expect(existsSync(join(path(), 'releases', 'climbed'))).toBe(false);
  expect(state()).toEqual(before);
  expect(peer.hellos).toHaveLength(1);
});

test('a server in the place of the API cannot have its own program run, however it is offered', async () => {
  expect((await install()).code).toBe(0);
  const before = state();
  const running = agents();
  const squatter = releaseSigner();
  const evil = await changedBundle(bundle.bytes, { NOTES: 'Not from here.' });
  const followed = (digest: string): ReleaseProof => {
    // As if the pinned key had vouched for the squatter's.
    const link = squatter.says({ kind: 'key', key: squatter.key, epoch: 999 });
    return { ...squatter.prove(digest), key: signer.key, chain: [link] };
  };
  const { platform } = process;
  const other = platform === 'linux' ? 'darwin-arm64' : 'linux-x64';
  const attempts: [(digest: string) => ReleaseProof | undefined, string][] = [
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
  for (const [prove, sentence] of attempts) {
    const { id, release } = offer(evil, 20, prove);
    expect(await resultOf(id)).toMatchObject({ outcome: 'failed', message: expect.stringContaining(sentence) });
    expect(existsSync(join(path(), 'releases', release))).toBe(false);
    expect(readFileSync(join(path(), 'run', 'agent.log'), 'utf8')).toContain(sentence);
  }
  expect(peer.requests.filter((asked) => asked.startsWith('bundles/'))).toHaveLength(1);
  expect(state()).toEqual(before);
  expect(agents()).toEqual(running);
  expect(peer.hellos).toHaveLength(1);
});

test('a changed key is followed along its chain, a lost one only when somebody at the machine says so', async () => {
  expect((await install()).code).toBe(0);
  const next = releaseSigner();
  const link = signer.says({ kind: 'key', key: next.key, epoch: 500 });
  const changed = offer(await changedBundle(bundle.bytes, { NOTES: 'By the next key.' }), 20, (digest) => ({
    ...next.prove(digest, { epoch: 501 }),
    key: signer.key,
    chain: [link],
  }));
  expect(await resultOf(changed.id)).toMatchObject({ outcome: 'done' });
  // The key before it counts no more: it may be known to others by now.
  const byOld = offer(await changedBundle(bundle.bytes, { NOTES: 'By the old key.' }), 20, (digest) =>
    signer.prove(digest, { epoch: 502 }),
  );
  expect(await resultOf(byOld.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining(next.fingerprint),
  });

  const found = releaseSigner();
  const notes = await changedBundle(bundle.bytes, { NOTES: 'After the loss.' });
  const early = offer(notes, 20, (digest) => found.prove(digest, { epoch: 1 }));
  expect((await resultOf(early.id)).outcome).toBe('failed');
  const program = join(path(), 'releases', state()?.current ?? '', 'ballast');
  const trust = (word: string) =>
    runScript(`"$0" agent trust ${word} --home ${path()}`, { program, args: [], input: '', environment });
  expect(await trust('abc')).toMatchObject({ code: 1, said: expect.stringContaining('64 hexadecimal digits') });
  expect(await trust(found.fingerprint)).toMatchObject({ code: 0, said: expect.stringContaining(found.fingerprint) });
  const late = offer(notes, 20, (digest) => found.prove(digest, { epoch: 1 }));
  expect(await resultOf(late.id)).toMatchObject({ outcome: 'done' });
});

test('an agent from before releases were signed pins the key that it is told first, and no other', async () => {
  expect((await install()).code).toBe(0);
  const pinned = () => new TrustFile(path()).read();
  const restarted = async () => {
    const hellos = peer.hellos.length;
    for (const pid of agents()) process.kill(pid, 'SIGKILL');
    await until('a further hello', async () => peer.hellos.length > hellos);
  };
  new TrustFile(path()).forget();
  peer.trust = { key: signer.key, chain: [] };
  await restarted();
  await until('it is pinned', async () => pinned()?.fingerprint === signer.fingerprint);
  expect(pinned()).toMatchObject({ from: 'first-use', epoch: 0 });
  const other = releaseSigner();
  peer.trust = { key: other.key, chain: [] };
  await restarted();
  await until('it says so', async () =>
    readFileSync(join(path(), 'run', 'agent.log'), 'utf8').includes('signs with another key than the pinned one'),
  );
  expect(pinned()?.fingerprint).toBe(signer.fingerprint);
});

test('nothing is installed that the key of the command has not signed, whatever verifies it', async () => {
  const other = releaseSigner();
  const cases: [ReleaseProof, string][] = [
    [other.prove(bundle.digest), 'signs with another key'],
    [{ ...first, release: other.prove(bundle.digest).release }, 'is not signed by the key'],
    [signer.prove(bundle.digest, { platform: 'plan9-mips' }), 'is for another platform'],
    [signer.prove(bundle.digest, { kind: 'runtime' }), 'something else than an agent'],
    [signer.prove(`sha256:${'0'.repeat(64)}`), 'cannot be downloaded'],
  ];
  // Without a Node of this version, and without one at all.
  const bare = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  for (const [proof, sentence] of cases) {
    for (const given of [environment, bare]) {
      const { code, said } = await install({ proof, environment: given });
      expect(said).toContain(sentence);
      expect(code).toBe(1);
      expect(readdirSync(home.path)).toEqual([]);
    }
  }
});

test('an agent that is killed while it downloads goes on where it was', async () => {
  expect((await install()).code).toBe(0);
  let downloads = 0;
  peer.disturb = (asked) => {
    if (!asked.startsWith('bundles/')) return undefined;
    downloads += 1;
    if (downloads > 1) return undefined;
    for (const pid of agents()) process.kill(pid, 'SIGKILL');
    return 'cut';
  };
  const update = offer(await changedBundle(bundle.bytes, { NOTES: 'Another.' }));
  expect(await resultOf(update.id)).toMatchObject({ outcome: 'done' });
  expect(downloads).toBe(2);
  expect(peer.results.filter(({ id }) => id === update.id)).toHaveLength(1);
});

test('what cannot be installed is refused in a sentence and leaves nothing', async () => {
  const cases: [Parameters<typeof install>[0], string][] = [
    [{ token: 'enrol_wrong' }, 'the token is unknown, used or expired'],
    [{ token: '' }, 'is empty or malformed'],
    [{ token: '"; touch /tmp/x' }, 'is empty or malformed'],
    [{ args: ['--home', path()] }, 'names no key to trust'],
    [{ args: ['--home', path(), '--trust', 'x'] }, 'is none'],
    [{ args: ['--hom', 'x'] }, 'There is no option --hom'],
    [{ args: ['--home', `${path()} x`] }, 'other characters'],
    [{ args: ['--home', path(), '--driver', 'magic'] }, 'There is no driver magic'],
  ];
  for (const [options, sentence] of cases) {
    const { code, said } = await install(options);
    expect(said).toContain(sentence);
    expect(code).toBe(1);
    expect(readdirSync(home.path)).toEqual([]);
  }
  // Another release than the one whose digest the script has.
  peer.bundles.set(bundle.digest, Buffer.from(bundle.bytes).fill(0, 100, 200));
  expect(await install()).toMatchObject({ code: 1, said: expect.stringContaining('not the one that was signed') });
  expect(readdirSync(home.path)).toEqual([]);
  peer.bundles.set(bundle.digest, bundle.bytes);
  // The enrolment itself is refused after everything was there.
  peer.disturb = (asked) => (asked === 'enrol' ? { status: 403, problem: 'The token was used already.' } : undefined);
  expect(await install()).toMatchObject({ code: 1, said: expect.stringContaining('The token was used already.') });
  expect(readdirSync(home.path)).toEqual([]);
  // A script that was cut off anywhere does nothing.
  const whole = installScript({
    url: peer.url,
    release: { image: 'x', version: '1', digest: bundle.digest, sizeBytes: 1 },
    proof: first,
  });
  const cut = whole.slice(0, whole.lastIndexOf('ballast_install'));
  const { said } = await runScript(cut, { args: ['--home', path()], input: peer.token });
  expect(said).toBe('');
  expect(readdirSync(home.path)).toEqual([]);
});

test('the same sources make the same bundle, and every file in it has its digest in release.json', async () => {
  expect((await makeBundle()).digest).toBe(bundle.digest);
  expect((await install()).code).toBe(0);
  const directory = join(path(), 'releases', shortDigest(bundle.digest));
  const { files }: { files: Record<string, string> } = JSON.parse(
    readFileSync(join(directory, 'release.json'), 'utf8'),
  );
  for (const [name, digest] of Object.entries(files)) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ).toBe(digest);
  }
  expect(readdirSync(directory).sort()).toEqual([...Object.keys(files), 'digest', 'release.json'].sort());
});
