import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { signal } from '../../machine/process-identity.ts';
import { pathThief } from '../../test/attacks/path-thief.ts';
import { until } from '../../test/ground/until.ts';
import { order } from './control.ts';
import { Ingress } from './ingress.ts';
import { IngressFiles, type ProcessRecord } from './ingress-files.ts';

const program = [process.execPath, join(import.meta.dirname, 'main.ts')];
const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** An ingress in a home whose directories above it anybody may enter, as the agent's home of root. */
async function running(depth = ''): Promise<{ ingress: Ingress; serving(): ProcessRecord }> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-squatted-'));
  undo.push(() => rmSync(directory, { recursive: true }));
  const home = join(directory, depth, 'agent');
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const log = { info: () => undefined, warn: () => undefined };
  const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program, log });
  undo.push(() => ingress.stop());
  await ingress.ensure();
  const files = new IngressFiles(join(home, 'ingress'));
  const serving = () => {
    const record = files.serving();
    if (record === undefined) throw new Error('No ingress is written down.');
    return record;
  };
  return { ingress, serving };
}

async function thiefOf(...paths: string[]) {
  const thief = await pathThief(paths);
  undo.push(() => thief.end());
  return thief;
}

// Without root the thief would be the owner of everything.
describe.runIf(process.getuid?.() === 0)('a program of another user', () => {
  test('gets no control socket, while the ingress is killed again and again', async () => {
    const { ingress, serving } = await running();
    const { control } = serving();
    // The next process has another id, and so another path: the thief cannot know it, but may try all near by.
    const near = Array.from({ length: 200 }, (_, ahead) =>
      control.replace(/\d+(?=\.sock$)/, (pid) => String(Number(pid) + ahead)),
    );
    const thief = await thiefOf(control, ...near);
    for (let kill = 0; kill < 3; kill += 1) {
      const killed = serving();
      signal(killed, 'SIGKILL');
      await until('another ingress', async () => serving().pid !== killed.pid && ingress.port !== undefined, 60);
    }
    await ingress.setRoutes([]);
    expect({ got: thief.got(), reached: thief.reached(), heard: thief.heard() }).toEqual({
      got: [],
      reached: [],
      heard: [],
    });
  }, 120_000);

  test('is not believed at the path of a control socket that a cleaner of temporary files has removed', async () => {
    // So deep that the socket lies in a short directory of its own, where everybody may make directories.
    const { ingress, serving } = await running('x'.repeat(90));
    const before = serving();
    expect(dirname(dirname(before.control))).toBe(tmpdir());
    rmSync(dirname(before.control), { recursive: true });
    const thief = await thiefOf(before.control);
    await until('the thief has the path', async () => thief.got().length > 0);
    undo.push(() => rmSync(dirname(before.control), { recursive: true, force: true }));

    await expect(order(before.control, 'state')).rejects.toThrow('is not a directory that only we can enter');
    expect(await ingress.traffic()).toEqual([]);
    expect(thief.heard()).toEqual([]);
    // The agent's next look finds an ingress that does not answer, and starts another one at a path of its own.
    await ingress.ensure();
    expect(serving().pid).not.toBe(before.pid);
    expect(await order(serving().control, 'state')).toMatchObject({ inFlight: {} });
    expect(thief.heard()).toEqual([]);
  }, 120_000);
});
