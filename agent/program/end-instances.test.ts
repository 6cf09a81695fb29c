import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { Ingress } from '../ingress/ingress.ts';
import { endInstances } from './leave.ts';

test('an engine that is gone is said, and the ingress is ended all the same', async () => {
  const home = temporaryFolder();
  const program = [process.execPath, join(import.meta.dirname, '../ingress/main.ts')];
  const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program, log: { info() {}, warn() {} } });
  try {
    await ingress.ensure();
    ingress.close();
    mkdirSync(join(home, 'run'));
    writeFileSync(join(home, 'run/status.json'), JSON.stringify({ driver: 'docker' }));
    const socket = join(home, 'no-engine.sock');
    const left = `The instances could not be ended: The Docker engine at ${socket} does not answer; start it.`;
    expect(await endInstances(home, socket)).toEqual({ ended: 0, left });
    // Nobody has to know which one the agent ran with.
    writeFileSync(join(home, 'run/status.json'), JSON.stringify({ driver: 'docker', dockerSocket: socket }));
    expect(await endInstances(home, undefined)).toEqual({ ended: 0, left });
    expect(ingress.port).toBeUndefined();
  } finally {
    await ingress.stop();
  }
});
