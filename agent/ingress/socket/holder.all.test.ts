import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify } from '../../../machine/process-identity.ts';
import { temporaryFolder, undoing } from '../../../machine/test-ground.ts';
import { ingressMain, servedIngress, statusOf } from '../../../test/agents/ingress/served-ingress.ts';
import { processesNaming } from '../../../test/agents/installed-agent.ts';
import { newConnections } from '../../../test/attacks/new-connections.ts';
import { until } from '../../../test/ground/until.ts';
import { Ingress } from '../ingress.ts';
import { IngressFiles } from '../ingress-files.ts';

const undo = undoing();

test.each([100, 500])(
  'five kills under %i new connections a second refuse nobody, and each effect is seen once',
  async (perSecond) => {
    const { port, ingress, seen, another } = await servedIngress(undo);
    // Nobody but the holder starts it again.
    ingress.close();
    const people = await newConnections({ url: `http://127.0.0.1:${port}/`, perSecond, effectsOn: 'app.localhost' });
    undo.push(() => people.end());
    for (let kill = 0; kill < 5; kill += 1) {
      await another('SIGKILL');
      await people.settled();
    }
    const killed = await people.settled();
    expect(killed).toMatchObject({ refused: 0, strange: [] });
    expect(killed.answered).toBe(killed.ids.length);
    // An effect whose answer was lost with the process may be there, and none is there twice.
    expect([...seen.values()].filter((times) => times !== 1)).toEqual([]);
    expect(killed.ids.filter((id) => !seen.has(String(id)))).toEqual([]);

    await another('SIGTERM');
    const asked = await people.settled();
    expect(asked).toMatchObject({ refused: 0, strange: [], reset: killed.reset });
    expect(asked.ids.filter((id) => seen.get(String(id)) !== 1)).toEqual([]);
  },
);

// Elsewhere than on Linux nobody can look for them.
test.runIf(process.platform === 'linux')('a program that hangs at its start is ended with its holder', async () => {
  const home = temporaryFolder();
  const late = join(import.meta.dirname, '../../../test/agents/ingress/late-ingress.ts');
  const program = [process.execPath, late];
  const agent = new Ingress({ home, port: 0, listen: '127.0.0.1', program, log: { info() {}, warn() {} } });
  undo.push(() => agent.stop());
  const [begun = '', fail = ''] = ['begun', 'fail'].map((name) => join(home, 'ingress', name));
  const starting = expect(agent.ensure()).rejects.toThrow('does not start');
  await until('it has begun', async () => existsSync(begun));
  rmSync(begun);
  writeFileSync(fail, '');
  await starting;
  await until('it has begun again', async () => existsSync(begun));
  await agent.stop();
  await until('nothing of it is left', async () => processesNaming(home).length === 0);
});

test('an ingress of version 0.1, which holds its socket itself, is replaced while it serves', async () => {
  const home = temporaryFolder();
  const files = new IngressFiles(join(home, 'ingress'));
  const program = join(import.meta.dirname, '../../../test/agents/ingress/earlier-ingress.ts');
  const earlier = spawn(process.execPath, [program, files.directory], { stdio: 'ignore' });
  undo.push(() => earlier.kill('SIGKILL'));
  const { port, pid } = await until('it serves', async () => files.serving());
  const agent = new Ingress({
    home,
    port,
    listen: '127.0.0.1',
    program: [process.execPath, ingressMain],
    log: { info() {}, warn() {} },
  });
  undo.push(() => agent.stop());
  let asking = true;
  const seen = new Set<number | undefined>();
  const visitor = (async () => {
    while (asking) seen.add(await statusOf(port));
  })();
  expect(await agent.ensure()).toEqual({ port });
  await until('the earlier one has ended', async () => identify(pid) === undefined);
  asking = false;
  await visitor;
  // The earlier one answers all, and the new one has no routes yet: nothing was refused or reset.
  seen.add(await statusOf(port));
  expect([...seen].sort()).toEqual([200, 404]);
  expect(files.serving()?.holder).toBeDefined();
});
