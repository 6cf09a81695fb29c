import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agent, placesIn } from '../../../test/builders/agent-process.ts';
import { buildGround } from '../../../test/builders/build-ground.ts';
import { withWords } from '../../../test/builders/with-words.ts';
import { until } from '../../../test/ground/until.ts';
import { foldersIn } from './mounts.ts';
import { endSandboxLeftovers } from './sandbox.ts';

const ground = await buildGround();
afterAll(() => ground?.close());
const { directory } = ground ?? ({} as NonNullable<typeof ground>);

/** How far an agent has come, by the files of the folder of its second sandbox; the first is its trial. */
const moments = ['root', 'stdout', 'fstab', 'init'] as const;

test.skipIf(ground === undefined).each(moments)(
  'an agent killed when there is %s takes its builds along, and the next one clears up',
  async (moment) => {
    const mark = `${100_000 + Math.floor(Math.random() * 1e9)}`;
    const [home, source, cache] = placesIn(directory, `killed-at-${moment}`);
    const command = `trap '' TERM HUP; (setsid sleep ${mark} &); sleep ${mark}`;
    const child = agent([home, source, cache, command]);
    const said: string[] = [];
    child.stdout?.on('data', (bytes) => said.push(String(bytes)));
    await until('the trial is over', async (see) => {
      const folders = existsSync(foldersIn(home)) ? readdirSync(foldersIn(home)) : [];
      see({ folders, said, exitCode: child.exitCode });
      const isTrial = folders.some((name) => name.startsWith('probe-'));
      return !isTrial && folders.some((name) => existsSync(join(foldersIn(home), name, moment)));
    });
    child.kill('SIGKILL');
    await until('nothing runs', async (see) => see([...withWords(home), ...withWords(mark)]).length === 0);
    await endSandboxLeftovers(home);
    expect(readdirSync(foldersIn(home))).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(home);
  },
);
