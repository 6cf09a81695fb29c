import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { until } from '../../test/ground/until.ts';

const launcher = fileURLToPath(new URL('./launcher.sh', import.meta.url));
const home = temporaryFolder();

function program(path: string, script: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

test('an agent that fails is started again after ten seconds at most, and a signal is heard while it waits', async () => {
  const waits = join(home, 'waits');
  program(join(home, 'releases', 'abc', 'ballast'), 'exit 1');
  writeFileSync(join(home, 'releases', 'state'), 'current=abc\n');
  // A pause takes no time, but for the eighth one, which does not end.
  program(
    join(home, 'bin', 'sleep'),
    `echo "$1" >>'${waits}'; [ "$(wc -l <'${waits}')" -lt 8 ] || exec /bin/sleep 3600`,
  );
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}` };
  const child = spawn('sh', [launcher, home], { env, stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  try {
    const seen = () => (existsSync(waits) ? readFileSync(waits, 'utf8').trim().split('\n') : []);
    await until('it waits', async (see) => see(seen()).length === 8);
    expect(seen()).toEqual(['1', '2', '4', '8', '10', '10', '10', '10']);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }
});
