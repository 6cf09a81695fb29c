import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { argumentsOf, changedBundle, processesNaming, runScript } from '../../test/agents/installed-agent.ts';
import { releaseSigner } from '../../test/agents/release-signer.ts';
import { until } from '../../test/ground/until.ts';
import { environment, ReleaseGround, runBundle } from '../../test/machines/release-ground.ts';
import { makeBundle } from '../bundle/make-bundle.ts';
import { TrustFile } from '../home/trust.ts';

// Releases that are refused, each for its reason, are in offered-releases.test.ts.
let ground: ReleaseGround;

const bundle = await runBundle();
beforeEach(async () => {
  ground = await ReleaseGround.on(bundle);
  expect((await ground.install()).code).toBe(0);
});
afterEach(() => ground.close());

test('a release that dies at once goes away again, also when its launcher is killed, and that is told once', async () => {
  const [before, proxy] = [ground.state(), ground.ingress()];
  // The launcher is killed while it tries one that dies at once, and started again: the old one comes back all the same.
  const dying = `if (process.argv[2] === '--version') console.log('9'); else process.exit(3);`;
  const worse = ground.offer(await changedBundle(bundle.bytes, { 'agent.mjs': dying, NOTES: 'x' }), 60);
  const answered = ground.resultOf(worse.id, 40);
  await until('the launcher tries it', async () => ground.state()?.next?.tries === 1);
  const launchers = processesNaming(ground.path()).filter((pid) => argumentsOf(pid).includes('launcher.sh'));
  for (const pid of launchers) process.kill(pid, 'SIGKILL');
  expect((await ground.install()).said).toContain('This machine is enrolled already, for the cluster peer');
  expect(await answered).toMatchObject({ outcome: 'failed', message: expect.stringContaining('3 times') });
  expect(await until('one agent', async () => ground.agents().length === 1)).toBe(true);
  expect(ground.state()?.current).toBe(before?.current);
  expect(ground.ingress()).toEqual(proxy);

  // Told and acknowledged once, it is not told for ever.
  const entry = join(ground.path(), 'journal', `${worse.id}.json`);
  await until('acknowledged', async () => readFileSync(entry, 'utf8').includes('"gone"'));
  const hellos = ground.peer.hellos.length;
  for (const pid of ground.agents()) process.kill(pid, 'SIGKILL');
  await until('a further hello', async () => ground.peer.hellos.length > hellos);
  expect(ground.peer.hellos.at(-1)?.returned).toBeUndefined();
});

test('a changed key is followed along its chain, a lost one only when somebody at the machine says so', async () => {
  const next = releaseSigner();
  const link = ground.signer.says({ kind: 'key', key: next.key, epoch: 500 });
  const changed = ground.offer(await changedBundle(bundle.bytes, { NOTES: 'By the next key.' }), 20, (digest) => ({
    ...next.prove(digest, { epoch: 501 }),
    key: ground.signer.key,
    chain: [link],
  }));
  expect(await ground.resultOf(changed.id)).toMatchObject({ outcome: 'done' });
  // The key before it counts no more: it may be known to others by now.
  const byOld = ground.offer(await changedBundle(bundle.bytes, { NOTES: 'By the old key.' }), 20, (digest) =>
    ground.signer.prove(digest, { epoch: 502 }),
  );
  expect(await ground.resultOf(byOld.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining(next.fingerprint),
  });

  const found = releaseSigner();
  const notes = await changedBundle(bundle.bytes, { NOTES: 'After the loss.' });
  const early = ground.offer(notes, 20, (digest) => found.prove(digest, { epoch: 1 }));
  expect((await ground.resultOf(early.id)).outcome).toBe('failed');
  const program = join(ground.path(), 'releases', ground.state()?.current ?? '', 'ballast');
  const trust = (word: string) =>
    runScript(`"$0" agent trust ${word} --home ${ground.path()}`, { program, args: [], input: '', environment });
  expect(await trust('abc')).toMatchObject({ code: 1, said: expect.stringContaining('64 hexadecimal digits') });
  expect(await trust(found.fingerprint)).toMatchObject({ code: 0, said: expect.stringContaining(found.fingerprint) });
  const late = ground.offer(notes, 20, (digest) => found.prove(digest, { epoch: 1 }));
  expect(await ground.resultOf(late.id)).toMatchObject({ outcome: 'done' });
});

test('an agent from before releases were signed pins the key that it is told first, and no other', async () => {
  const pinned = () => new TrustFile(ground.path()).read();
  const restarted = async () => {
    const hellos = ground.peer.hellos.length;
    for (const pid of ground.agents()) process.kill(pid, 'SIGKILL');
    await until('a further hello', async () => ground.peer.hellos.length > hellos);
  };
  new TrustFile(ground.path()).forget();
  ground.peer.trust = { key: ground.signer.key, chain: [] };
  await restarted();
  await until('it is pinned', async () => pinned()?.fingerprint === ground.signer.fingerprint);
  expect(pinned()).toMatchObject({ from: 'first-use', epoch: 0 });
  const other = releaseSigner();
  ground.peer.trust = { key: other.key, chain: [] };
  await restarted();
  await until('it says so', async () =>
    readFileSync(join(ground.path(), 'run', 'agent.log'), 'utf8').includes(
      'signs with another key than the pinned one',
    ),
  );
  expect(pinned()?.fingerprint).toBe(ground.signer.fingerprint);
});

test('an agent that is killed while it downloads goes on where it was', async () => {
  let downloads = 0;
  ground.peer.disturb = (asked) => {
    if (!asked.startsWith('bundles/')) return undefined;
    downloads += 1;
    if (downloads > 1) return undefined;
    for (const pid of ground.agents()) process.kill(pid, 'SIGKILL');
    return 'cut';
  };
  const update = ground.offer(await changedBundle(bundle.bytes, { NOTES: 'Another.' }));
  expect(await ground.resultOf(update.id)).toMatchObject({ outcome: 'done' });
  expect(downloads).toBe(2);
  expect(ground.peer.results.filter(({ id }) => id === update.id)).toHaveLength(1);
});

test('the same sources make the same bundle', async () => {
  expect((await makeBundle()).digest).toBe(bundle.digest);
});
