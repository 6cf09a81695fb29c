import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { portOf, undoing } from '../../machine/test-ground.ts';
import { preparedIngress, runningIngress, thiefOf, thiefOfPort } from '../../test/agents/ingress/squatted-ingress.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { AppliedRoutes } from '../keep/applied-routes.ts';

const undo = undoing();

/** An application in this process: it holds the answers to `/slow` back. */
async function application() {
  const slow: ServerResponse[] = [];
  const server = createServer((asked, answer) => void (asked.url === '/slow' ? slow.push(answer) : answer.end('done')));
  const upstreams = [{ instance: 'web', host: '127.0.0.1', port: await portOf(server), protocol: 'http1' as const }];
  return { slow, routesTo: (...hosts: string[]) => hosts.map((host) => ({ host, upstreams })) };
}

function status(port: number, host: string, path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers: { host }, agent: false }, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    ).once('error', reject);
  });
}

// Without root the thief would be the owner of everything.
describe.runIf(process.getuid?.() === 0)('a program of another user', () => {
  test('gets neither port nor control socket, while the ingress is killed, restarted and left by its agent', async () => {
    const { ingress, serving, agent } = await runningIngress(undo);
    const { control, port } = serving();
    const ports = await thiefOfPort(undo, port);
    // The next process has another id, and so another path: the thief cannot know it, but may try all near by.
    const near = Array.from({ length: 200 }, (_, ahead) =>
      control.replace(/\d+(?=\.sock$)/, (pid) => String(Number(pid) + ahead)),
    );
    const thief = await thiefOf(undo, control, ...near);
    for (const end of ['SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
      const ended = serving();
      signal(ended, end);
      await until('another ingress', async () => serving().pid !== ended.pid && ingress.port !== undefined);
    }
    // The process alone has the port then, until the agent has given it another holder.
    const { holder } = serving();
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await until('another holder', async () => serving().holder?.pid !== holder?.pid && ingress.port !== undefined);
    // As after the end of an agent, ordinary or not.
    ingress.close();
    const killed = serving();
    signal(killed, 'SIGKILL');
    await until('another ingress', async () => serving().pid !== killed.pid && isAlive(serving()));
    const next = agent();
    expect(await next.ensure()).toEqual({ port });
    await next.setRoutes([]);
    expect({ got: thief.got(), reached: thief.reached(), heard: thief.heard() }).toEqual({
      got: [],
      reached: [],
      heard: [],
    });
    expect(ports.got()).toEqual([]);
  });

  test('gets no port of an ingress that is just starting, however long that takes and though it fails at first', async () => {
    const port = await freePort();
    const late = join(import.meta.dirname, '../../test/agents/ingress/late-ingress.ts');
    const { files, agent } = preparedIngress(undo, { port, program: [process.execPath, late] });
    const file = (name: string) => join(files.directory, name);
    const ingress = agent();
    const starting = expect(ingress.ensure()).rejects.toThrow(`does not start on 127.0.0.1, port ${port}`);
    await until('its program has begun', async () => existsSync(file('begun')));
    const ports = await thiefOfPort(undo, port);
    writeFileSync(file('fail'), '');
    await starting;
    expect(ingress.failure).toContain('does not start');
    writeFileSync(file('serve'), '');
    await until('it serves', async () => ingress.port === port && ingress.failure === undefined);
    expect(await status(port, 'app.localhost')).toBe(404);
    expect(ports.got()).toEqual([]);
  });

  test('that takes the place of a removed control socket delays no layout and cuts no request', async () => {
    const { ingress, serving } = await runningIngress(undo, { depth: 'x'.repeat(90) });
    const { slow, routesTo } = await application();
    const { port, control, ...before } = serving();
    await ingress.setRoutes(routesTo('one.localhost'));
    const underWay = status(port, 'one.localhost', '/slow');
    await until('it is under way', async () => slow.length > 0);
    rmSync(dirname(control), { recursive: true });
    const thief = await thiefOf(undo, control);
    await until('the thief has the path', async () => thief.got().length > 0);
    undo.push(() => rmSync(dirname(control), { recursive: true, force: true }));

    const closing = new AbortController();
    undo.push(() => closing.abort());
    const routes = new AppliedRoutes(ingress, closing.signal, () => undefined);
    routes.set({ routes: routesTo('one.localhost', 'two.localhost'), ports: [] });
    await until('the layout is in effect', async () => routes.areApplied);
    expect(routes.error).toBeUndefined();
    expect(serving().pid).not.toBe(before.pid);
    expect(await status(port, 'two.localhost')).toBe(200);
    slow[0]?.end('done');
    expect(await underWay).toBe(200);
    await until('the earlier one has ended', async () => !isAlive(before));
    expect({ heard: thief.heard(), kept: existsSync(control) }).toEqual({ heard: [], kept: true });
  });
});
