import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Pool, request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { identify, isAlive } from '../../machine/process-identity.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { sampleProgram } from '../../test/images/sample-image.ts';
import { Ingress, type Route } from './ingress.ts';
import { IngressFiles } from './ingress-files.ts';

const main = join(import.meta.dirname, 'main.ts');
const quiet = { info: () => undefined, warn: () => undefined };
const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'ballast-ingress-'));
  undo.push(() => rmSync(home, { recursive: true }));
  return home;
}

function ingress(home: string, program = [process.execPath, main], port = 0): Ingress {
  const made = new Ingress({ home, port, listen: '127.0.0.1', program, log: quiet });
  undo.push(() => made.stop());
  return made;
}

/** The sample application, running. */
async function application(version: string): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(await sampleProgram(), [], { env: { PORT: String(port), VERSION: version }, stdio: 'ignore' });
  undo.push(() => {
    child.kill('SIGKILL');
  });
  await until('the application listens', () =>
    request(`http://127.0.0.1:${port}/healthz`).then(
      ({ body }) => body.dump().then(() => true),
      () => false,
    ),
  );
  return { port, child };
}

const to = (...ports: number[]): Route[] => [
  {
    host: 'app.localhost',
    upstreams: ports.map((port) => ({ instance: `web-${port}`, host: '127.0.0.1', port, protocol: 'http1' })),
  },
];

/** So many requests a second, over connections that are kept and over new ones, until it is stopped. */
function load(port: number, perSecond: number): { stop(): Promise<{ sent: number; failures: string[] }> } {
  const kept = new Pool(`http://127.0.0.1:${port}`, { connections: 20 });
  const fresh = new Agent({ pipelining: 0 });
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  const one = async (): Promise<void> => {
    sent += 1;
    const dispatcher = sent % 2 === 0 ? kept : fresh;
    try {
      const method = sent % 3 === 0 ? 'POST' : 'GET';
      const answer = await request(`http://127.0.0.1:${port}/`, {
        dispatcher,
        method,
        headers: { host: 'app.localhost' },
      });
      await answer.body.dump();
      if (answer.statusCode !== 200) failures.push(String(answer.statusCode));
    } catch (error) {
      failures.push(String(error));
    }
  };
  const started = performance.now();
  const timer = setInterval(() => {
    while (sent < ((performance.now() - started) / 1000) * perSecond) {
      const asking = one().finally(() => open.delete(asking));
      open.add(asking);
    }
  }, 5);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(open);
    await Promise.all([kept.destroy(), fresh.destroy()]);
    return { sent, failures };
  };
  undo.push(async () => void (await stop()));
  return { stop };
}

const status = async (port: number): Promise<number | undefined> =>
  // Each on a connection of its own: one that is kept would be reset with the ingress.
  request(`http://127.0.0.1:${port}/`, { headers: { host: 'app.localhost' }, reset: true }).then(
    ({ statusCode, body }) => body.dump().then(() => statusCode),
    () => undefined,
  );

test('it goes on without an agent, the next one adopts it, and killed it is back with its routes', async () => {
  const home = newHome();
  const [first, app] = [ingress(home), await application('1')];
  const { port } = await first.ensure();
  await first.setRoutes(to(app.port));
  expect(await status(port)).toBe(200);
  first.close();

  const second = ingress(home);
  const files = new IngressFiles(join(home, 'ingress'));
  const pid = files.serving()?.pid ?? 0;
  expect(await second.ensure()).toEqual({ port });
  expect(files.serving()?.pid).toBe(pid);
  expect(statSync(files.serving()?.control ?? '').mode & 0o777).toBe(0o600);

  process.kill(pid, 'SIGKILL');
  await until('it has ended', async () => identify(pid) === undefined);
  // The request waits for the next process.
  expect(await status(port)).toBe(200);
  expect(files.serving()?.pid).not.toBe(pid);
  expect((await second.traffic())[0]).toMatchObject({ host: 'app.localhost', requests: { '2xx': 1 } });

  const serving = files.serving();
  await second.stop();
  expect(serving && isAlive(serving)).toBe(false);
  expect(await status(port)).toBeUndefined();
});

test('a program that does not start is said, and a socket path that would be too long is avoided', async () => {
  const home = join(newHome(), 'x'.repeat(120));
  mkdirSync(home);
  const broken = ingress(home, [process.execPath, '-e', '0']);
  await expect(broken.ensure()).rejects.toThrow(/does not start/);
  broken.close();
  const works = ingress(home);
  await works.ensure();
  await works.setRoutes([]);
  expect(await works.inFlight({ host: '127.0.0.1', port: 1 })).toBe(0);
});

test('routes are set although a leaving process ends while it is told', async () => {
  const home = newHome();
  const agent = ingress(home);
  await agent.ensure();
  const files = new IngressFiles(join(home, 'ingress'));
  const [serving, own] = [files.serving(), identify(process.pid)];
  if (serving === undefined || own === undefined) throw new Error('no record');
  const leaving = { ...serving, ...own, control: join(files.directory, 'control-leaving.sock') };
  // The leaving process still runs when its connections are cut.
  const ending = createServer((connection) => {
    files.removeLeaving(leaving);
    connection.destroy();
  });
  undo.push(() => void ending.close());
  await once(ending.listen(leaving.control), 'listening');
  files.writeLeaving(leaving);
  await agent.setRoutes([]);
  expect(files.leaving()).toEqual([]);
});

test('nothing is lost while the ingress is replaced five times and instances change under load', async () => {
  const home = newHome();
  const apps = [await application('1'), await application('2')];
  const [a = 0, b = 0] = apps.map(({ port }) => port);
  const first = ingress(home);
  const { port } = await first.ensure();
  await first.setRoutes(to(a));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`, { headers: { host: 'app.localhost' } });
  await once(socket, 'open');
  const running = load(port, 500);
  const files = new IngressFiles(join(home, 'ingress'));
  const seen = new Set<number>();
  let agent = first;
  for (let round = 0; round < 5; round += 1) {
    agent.close();
    const program = join(home, `ingress-${round}.mjs`);
    writeFileSync(program, `process.title = 'ingress ${round}';\nawait import(${JSON.stringify(main)});\n`);
    agent = ingress(home, [process.execPath, program]);
    expect(await agent.ensure()).toEqual({ port });
    seen.add(files.serving()?.pid ?? 0);
    await agent.setRoutes(to(round % 2 === 0 ? b : a));
    await until('nothing is under way at the other', async () => {
      // The WebSocket that was opened first stays where it is.
      const other = round % 2 === 0 ? a : b;
      return (await agent.inFlight({ host: '127.0.0.1', port: other })) === (other === a ? 1 : 0);
    });
  }
  const { sent, failures } = await running.stop();
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(500);
  expect(seen.size).toBe(5);
  socket.send('still here');
  expect(String((await once(socket, 'message'))[0])).toBe('still here');
  const old = files.leaving().map(({ pid }) => pid);
  expect(old.length).toBeGreaterThan(0);
  socket.close();
  await until(
    'the first has ended',
    async () => files.leaving().length < old.length || old.every((pid) => !identify(pid)),
  );
});
