import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { argumentsOf, changedBundle } from '../../test/agents/installed-agent.ts';
import { ReleaseGround, runBundle } from '../../test/machines/release-ground.ts';
import { shortDigest } from './download.ts';

// Agents in this process are in offered-releases.test.ts; here is an installed one, with its launcher.
const bundle = await runBundle();
const ground = await ReleaseGround.on(bundle);
afterAll(() => ground.close());

test('an installed agent is updated, takes nothing unsigned, and what does not reach the control plane goes away', async () => {
  const { code, said } = await ground.install();
  expect(said).toContain('is in contact with');
  expect(code).toBe(0);
  expect(ground.peer.hellos.at(-1)?.image).toBe(bundle.image);
  const proxy = ground.ingress();
  expect(proxy).toHaveLength(1);
  expectWhole(shortDigest(bundle.digest));

  const better = ground.offer(await changedBundle(bundle.bytes, { NOTES: 'A better one.' }));
  expect(await ground.resultOf(better.id)).toMatchObject({ outcome: 'done' });
  expect(ground.peer.hellos.at(-1)).toMatchObject({ image: better.image, journalled: [better.id] });
  expect(ground.state()).toEqual({ current: better.release, previous: shortDigest(bundle.digest) });
  expect(ground.ingress()).toEqual(proxy);

  const asked = () => ground.peer.requests.filter((path) => path.startsWith('bundles/')).length;
  const [before, running] = [asked(), ground.agents()];
  // A release that prints its version and then idles: neither confirmed nor dead.
  const idle = `if (process.argv[2] === '--version') console.log('9'); else setInterval(() => {}, 1000);`;
  const bytes = await changedBundle(bundle.bytes, { 'agent.mjs': idle });
  const unsigned = ground.offer(bytes, 20, () => undefined);
  const refusal = 'is not signed';
  expect(await ground.resultOf(unsigned.id)).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining(refusal),
  });
  expect(readFileSync(join(ground.path(), 'run', 'agent.log'), 'utf8')).toContain(refusal);
  expect([asked(), ground.agents()]).toEqual([before, running]);

  const bad = ground.offer(bytes, 2);
  const failed = await ground.resultOf(bad.id);
  expect(failed).toMatchObject({ outcome: 'failed', message: 'It did not reach the control plane within 2 s.' });
  expect(ground.peer.hellos.at(-1)).toMatchObject({ image: better.image, returned: { from: bad.image } });
  expect(ground.state()?.current).toBe(better.release);
  expect(ground.ingress()).toEqual(proxy);
});

test('an agent that is installed for an engine of its own runs with that, and says for its end which one it is', async () => {
  const own = await ReleaseGround.on(bundle);
  try {
    // No engine answers there: the agent is in contact all the same.
    const socket = join(own.home.path, 'engine.sock');
    expect(await own.install({ more: ['--driver', 'docker', '--docker-socket', socket] })).toMatchObject({ code: 0 });
    expect(own.agents().map(argumentsOf)).toEqual([expect.stringContaining(` --docker-socket ${socket} `)]);
    const status = JSON.parse(readFileSync(join(own.path(), 'run', 'status.json'), 'utf8'));
    expect(status).toMatchObject({ driver: 'docker', dockerSocket: socket });
  } finally {
    await own.close();
  }
});

/** Every file of a release has its digest in release.json. */
function expectWhole(release: string): void {
  const directory = join(ground.path(), 'releases', release);
  const { files }: { files: Record<string, string> } = JSON.parse(
    readFileSync(join(directory, 'release.json'), 'utf8'),
  );
  for (const [name, digest] of Object.entries(files)) {
    const hash = createHash('sha256').update(readFileSync(join(directory, name)));
    expect(hash.digest('hex')).toBe(digest);
  }
  expect(readdirSync(directory).sort()).toEqual([...Object.keys(files), 'digest', 'release.json'].sort());
}
