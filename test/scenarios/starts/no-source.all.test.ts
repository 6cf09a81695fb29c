import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runBallast } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';
import { barePath, withoutGo } from '../../machines/bare-machine.ts';

const machine = mkdtempSync(join(tmpdir(), 'ballast-no-source-'));
const program = withoutGo(machine);
afterAll(() => rmSync(machine, { recursive: true }));

describe.runIf(program !== undefined)(
  'a machine with Node and git, without Go, and without a way to the release',
  () => {
    test('is told what to install or to set, before anything is started', async () => {
      const cache = join(machine, 'cache');
      mkdirSync(cache);
      const installation = await Installation.prepare('no-source', {
        ...{ PATH: barePath(machine), HOME: machine, XDG_CACHE_HOME: cache, TEMPORAL_SERVER: '' },
        // Nobody listens at this port: no address of the internet is reached.
        ...{ HTTPS_PROXY: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' },
      });
      try {
        const { code, stdout, stderr } = await runBallast(['up'], installation.env, program);
        expect(stderr).toMatch(/^ballast: There is no Temporal server [\d.]+: [^\n]+\n$/);
        for (const help of ['TEMPORAL_ARCHIVE', 'TEMPORAL_SERVER', 'or install Go', 'https://go.dev/dl/go']) {
          expect(stderr).toContain(help);
        }
        expect(stderr).not.toMatch(/\n\s+at |Error:/);
        expect(stdout).not.toMatch(/ready|ended with code/);
        expect(code).toBe(1);
        expect(existsSync(join(installation.home, 'postgres'))).toBe(false);
        expect(readdirSync(join(installation.home, 'logs'))).toEqual([]);
        expect(installation.processes()).toEqual([]);
      } finally {
        await installation.remove();
      }
    });
  },
);
