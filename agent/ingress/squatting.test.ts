import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { pathThief } from '../../test/attacks/path-thief.ts';
import { portThief } from '../../test/attacks/port-thief.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { testInAll } from '../../test/run/matrix.ts';
import { AppliedRoutes } from '../keep/applied-routes.ts';
import { order } from './control.ts';
import { Ingress } from './ingress.ts';
import { IngressFiles, type ProcessRecord } from './ingress-files.ts';

const program = [process.execPath, join(import.meta.dirname, 'main.ts')];
const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

interface Options {
  /** Of the home beneath a directory of the test's own. */
  depth?: string;
  port?: number;
  program?: readonly string[];
}

/** An agent's ingress, not started yet, in a home whose directories above it anybody may enter, as the agent's home of root. */
function prepared({ depth = '', port = 0, program: words = program }: Options = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-squatted-'));
  undo.push(() => rmSync(directory, { recursive: true }));
  const home = join(directory, depth, 'agent');
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const log = { info: () => undefined, warn: () => undefined };
  const agent = (others = words) => {
    const one = new Ingress({ home, port, listen: '127.0.0.1', program: others, log });
    undo.push(() => one.stop());
    return one;
  };
  const files = new IngressFiles(join(home, 'ingress'));
  const serving = (): ProcessRecord => {
    const record = files.serving();
    if (record === undefined) throw new Error('No ingress is written down.');
    return record;
  };
  return { directory, files, agent, serving };
}

async function running(options: Options = {}) {
  const found = prepared(options);
  const ingress = found.agent();
  await ingress.ensure();
  return { ...found, ingress };
}

async function thiefOf(...paths: string[]) {
  const thief = await pathThief(paths);
  undo.push(() => thief.end());
  return thief;
}

/** The thief gets `::1` at once, which is not an address of this ingress. */
async function thiefOfPort(port: number) {
  const thief = await portThief([port]);
  undo.push(() => thief.end());
  return { got: () => thief.got().filter((name) => !name.startsWith('::1 ')) };
}

/** An application in this process: it holds the answers to `/slow` back. */
async function application() {
  const slow: ServerResponse[] = [];
  const server = createServer((asked, answer) => void (asked.url === '/slow' ? slow.push(answer) : answer.end('done')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  undo.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const upstreams = [{ instance: 'web', host: '127.0.0.1', port, protocol: 'http1' as const }];
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
    const { ingress, serving, agent } = await running();
    const { control, port } = serving();
    const ports = await thiefOfPort(port);
    // The next process has another id, and so another path: the thief cannot know it, but may try all near by.
    const near = Array.from({ length: 200 }, (_, ahead) =>
      control.replace(/\d+(?=\.sock$)/, (pid) => String(Number(pid) + ahead)),
    );
    const thief = await thiefOf(control, ...near);
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

  testInAll(
    'gets no port of an ingress that is just starting, however long that takes and though it fails at first',
    async () => {
      const port = await freePort();
      const late = join(import.meta.dirname, '../../test/agents/late-ingress.ts');
      const { files, agent } = prepared({ port, program: [process.execPath, late] });
      const file = (name: string) => join(files.directory, name);
      const ingress = agent();
      const starting = expect(ingress.ensure()).rejects.toThrow(`does not start on 127.0.0.1, port ${port}`);
      await until('its program has begun', async () => existsSync(file('begun')));
      const ports = await thiefOfPort(port);
      writeFileSync(file('fail'), '');
      await starting;
      expect(ingress.failure).toContain('does not start');
      writeFileSync(file('serve'), '');
      await until('it serves', async () => ingress.port === port && ingress.failure === undefined);
      expect(await status(port, 'app.localhost')).toBe(404);
      expect(ports.got()).toEqual([]);
    },
  );

  test('gets no port of an ingress whose successor dies in the moment in which it is to take over', async () => {
    const { directory, ingress, serving, agent } = await running();
    const { port, pid } = serving();
    const ports = await thiefOfPort(port);
    ingress.close();
    const dies = join(directory, 'dies.mjs');
    writeFileSync(
      dies,
      `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.writeSync = () => process.kill(process.pid, 'SIGKILL');
syncBuiltinESMExports();
await import(${JSON.stringify(program[1])});
`,
    );
    const next = agent([process.execPath, dies]);
    expect(await next.ensure()).toEqual({ port });
    expect(serving().pid).toBe(pid);
    expect(await status(port, 'app.localhost')).toBe(404);
    next.close();
    expect(await agent().ensure()).toEqual({ port });
    expect(ports.got()).toEqual([]);
  });

  test('is not believed at the path of a control socket that a cleaner of temporary files has removed', async () => {
    // So deep that the socket lies in a short directory of its own, where everybody may make directories.
    const { ingress, serving } = await running({ depth: 'x'.repeat(90) });
    const before = serving();
    // Of a program without an environment, which the ingress is.
    expect(dirname(dirname(before.control))).toBe('/tmp');
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
    // Nothing that is somebody else's by now is deleted: paths beneath it could lead anywhere.
    expect(existsSync(before.control)).toBe(true);
  });

  testInAll('that takes the place of a removed control socket delays no layout and cuts no request', async () => {
    const { ingress, serving } = await running({ depth: 'x'.repeat(90) });
    const { slow, routesTo } = await application();
    const { port, control, ...before } = serving();
    await ingress.setRoutes(routesTo('one.localhost'));
    const underWay = status(port, 'one.localhost', '/slow');
    await until('it is under way', async () => slow.length > 0);
    rmSync(dirname(control), { recursive: true });
    const thief = await thiefOf(control);
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
