import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { signal } from '../../machine/process-identity.ts';
import { undoing } from '../../machine/test-ground.ts';
import { ingressMain, statusOf } from '../../test/agents/ingress/served-ingress.ts';
import { runningIngress, thiefOf, thiefOfPort } from '../../test/agents/ingress/squatted-ingress.ts';
import { until } from '../../test/ground/until.ts';
import { order } from './control.ts';

const undo = undoing();

// Without root the thief would be the owner of everything.
describe.runIf(process.getuid?.() === 0)('a program of another user', () => {
  test('gets neither port nor control socket, while the ingress is killed, let go by its holder and left by its agent', async () => {
    const { ingress, serving, agent } = await runningIngress(undo);
    const { control, port, holder, pid } = serving();
    const ports = await thiefOfPort(undo, port);
    // The next process has another id, and so another path: the thief cannot know it, but may try some near by.
    const near = [1, 2, 3, 4].map((ahead) => control.replace(/\d+(?=\.sock$)/, String(pid + ahead)));
    const thief = await thiefOf(undo, control, ...near);
    signal(serving(), 'SIGKILL');
    await until('another ingress', async () => serving().pid !== pid && ingress.port !== undefined);
    // The process alone has the port then, until the agent has given it another holder.
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await until('another holder', async () => serving().holder?.pid !== holder?.pid && ingress.port !== undefined);
    // As after the end of an agent, ordinary or not.
    ingress.close();
    const next = agent();
    expect(await next.ensure()).toEqual({ port });
    await next.setRoutes([]);
    const outcome = { got: thief.got(), reached: thief.reached(), heard: thief.heard(), ports: ports.got() };
    expect(outcome).toEqual({ got: [], reached: [], heard: [], ports: [] });
  });

  test('gets no port of an ingress whose successor dies in the moment in which it is to take over', async () => {
    const { directory, ingress, serving, agent } = await runningIngress(undo);
    const { port, pid } = serving();
    const ports = await thiefOfPort(undo, port);
    ingress.close();
    const dies = join(directory, 'dies.mjs');
    writeFileSync(
      dies,
      `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.writeSync = () => process.kill(process.pid, 'SIGKILL');
syncBuiltinESMExports();
await import(${JSON.stringify(ingressMain)});
`,
    );
    const next = agent([process.execPath, dies]);
    expect(await next.ensure()).toEqual({ port });
    expect(serving().pid).toBe(pid);
    expect(await statusOf(port)).toBe(404);
    next.close();
    expect(await agent().ensure()).toEqual({ port });
    expect(ports.got()).toEqual([]);
  });

  test('is not believed at the path of a control socket that a cleaner of temporary files has removed', async () => {
    // So deep that the socket lies in a short directory of its own, where everybody may make directories.
    const { ingress, serving } = await runningIngress(undo, { depth: 'x'.repeat(90) });
    const before = serving();
    // Of a program without an environment, which the ingress is.
    expect(dirname(dirname(before.control))).toBe('/tmp');
    rmSync(dirname(before.control), { recursive: true });
    const thief = await thiefOf(undo, before.control);
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
    // Nothing that is somebody else's by now is deleted: paths beneath it could lead anywhere.
    expect(existsSync(before.control)).toBe(true);
  });
});
