import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { dockerCanRun, dockerEngine } from '../../test/agents/docker-engine.ts';
import { keptMachine, wanted } from '../../test/agents/kept-machine.ts';
import { commandsOf, migrating, releasesOn, rolloutOf } from '../../test/agents/release-commands.ts';
import { killedKeepers } from '../../test/deployments/killed-keepers.ts';
import { dockerDriver } from '../drivers/docker/docker-driver.ts';

test.runIf(dockerCanRun())(
  'it runs once before its release, fails it by its exit or its time, and is ended when that is given up: containers',
  async () => {
    const engine = await dockerEngine();
    const driver = (home: string) =>
      dockerDriver({ home, socket: engine.socket, log: { info: () => {}, warn: () => {} } });
    try {
      await releasesOn({ driver, hostBound: false });
    } finally {
      await engine.stop();
    }
  },
);

describe('an agent killed', () => {
  test.each([
    // Right after "begun" is on disk nothing was started, which no later agent can know.
    ['after', 'returned', '', ['preparing', 'releasing', 'returned']],
    ['before', 'done', 'ran\n', ['releasing', 'starting', 'checking', 'switching', 'draining', 'done']],
  ] as const)('right %s each write: it is %s, and never ran twice', async (dies, ends, ran, phases) => {
    const machine = await keptMachine();
    // Instances have users of their own, which may write here.
    const open = temporaryFolder();
    chmodSync(open, 0o777);
    try {
      const file = join(open, 'ran');
      const command = ['/bin/sh', '-c', `echo ran >> ${file}`];
      const killedAt = await killedKeepers(machine.home, wanted(1, await migrating(machine, 1, 'v1', command)), dies);
      const last = await machine.keeper();
      expect(rolloutOf(last)).toMatchObject({ id: 'v1', phase: ends });
      if (ends === 'returned') expect(rolloutOf(last)?.failure?.releaseCommand).toBe('unknown');
      else expect(readFileSync(file, 'utf8')).toBe(ran);
      expect(commandsOf(last)).toMatchObject([{ run: ends === 'done' ? 1 : 0 }]);
      expect([...new Set(killedAt)]).toEqual(
        dies === 'after' ? phases : expect.arrayContaining(['releasing', 'starting']),
      );
    } finally {
      await machine.close();
    }
  });
});
