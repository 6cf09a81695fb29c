import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuilderGround, builderGround } from '../../test/builders/builder-ground.ts';
import { hostileTrees } from '../../test/builders/hostile-trees.ts';
import { type RegistryWorld, registryWorld } from '../../test/registry/registry-world.ts';
import { notRun } from '../../test/run/not-run.ts';
import { openSandbox } from './sandbox/sandbox.ts';

let world: RegistryWorld;
let ground: BuilderGround;
const found = await openSandbox({ home: process.env.TMPDIR ?? '/tmp', outbound: { allowedRanges: [] } });
if ('why' in found) notRun('builds', found.why);
const building = test.skipIf('why' in found);

beforeAll(async () => {
  world = await registryWorld();
  ground = await builderGround(world);
});
afterAll(async () => {
  await ground?.close();
  await world?.close();
});

/** An application whose build runs this. */
const built = (script: string, start: string) =>
  ground.build({
    'package.json': JSON.stringify({ name: 'app', scripts: { build: 'sh -e ./hostile.sh', start } }),
    'server.js': '',
    'hostile.sh': script,
  });
/** Words of files of this machine that a build may not see. */
const secrets = ['/etc/shadow', '/etc/passwd']
  .filter(existsSync)
  .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  .filter((line) => line.startsWith('root:'));

// The agent's own loop is that of this test: held by one of them, it would never end.
building.each(hostileTrees)('$what', async ({ script, start = 'node server.js', refused, left }) => {
  const { result, log, digest } = await built(script, start);
  if (refused === undefined) expect(result, log).toEqual({ outcome: 'done', exitCode: 0 });
  else {
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringMatching(refused) });
    expect(digest).toBeUndefined();
  }
  if (left !== undefined && refused === undefined) expect(log).toContain(`Not in the image: ${left}`);
  for (const secret of secrets) expect(log + JSON.stringify(result)).not.toContain(secret);
  expect(JSON.stringify(result)).not.toContain('TOP-SECRET');
  expect(ground.left()).toEqual([]);
});

building('afterwards builds go on as before', async () => {
  expect((await built('true', 'node server.js')).result).toEqual({ outcome: 'done', exitCode: 0 });
});
