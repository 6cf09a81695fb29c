import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { identify, isAlive } from '../../../machine/process-identity.ts';
import { processesNaming } from '../../../test/agents/installed-agent.ts';
import { newConnections } from '../../../test/attacks/new-connections.ts';
import { portThief } from '../../../test/attacks/port-thief.ts';
import { until } from '../../../test/ground/until.ts';
import { cellsOf } from '../../../test/run/matrix.ts';
import { Ingress } from '../ingress.ts';
import { IngressFiles } from '../ingress-files.ts';

const main = join(import.meta.dirname, '../main.ts');
const undo: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** An ingress that leads to an application in this process; the application counts each request by its id. */
async function served(program = [process.execPath, main]) {
  const home = mkdtempSync(join(tmpdir(), 'ballast-held-'));
  undo.push(() => rmSync(home, { recursive: true, force: true }));
  const seen = new Map<string, number>();
  const slow: { end(): void }[] = [];
  const application = createServer((asked, answer) => {
    const id = new URL(asked.url ?? '', 'http://app').searchParams.get('id') ?? '';
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (asked.url?.startsWith('/slow')) slow.push({ end: () => answer.end('slow') });
    else asked.resume().once('end', () => answer.end('done'));
  });
  const sockets = new WebSocketServer({ server: application });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await once(application.listen(0, '127.0.0.1'), 'listening');
  undo.push(() => {
    application.close();
    application.closeAllConnections();
  });
  const agent = (of = program) => {
    const one = new Ingress({ home, port: 0, listen: '127.0.0.1', program: of, log: { info() {}, warn() {} } });
    undo.push(() => one.stop());
    return one;
  };
  const ingress = agent();
  const { port } = await ingress.ensure();
  const upstream = { host: '127.0.0.1', port: (application.address() as AddressInfo).port };
  const upstreams = [{ instance: 'web', ...upstream, protocol: 'http1' as const }];
  await ingress.setRoutes([{ host: 'app.localhost', upstreams }]);
  const files = new IngressFiles(join(home, 'ingress'));
  const pid = () => files.serving()?.pid ?? 0;
  const holder = () => files.serving()?.holder?.pid ?? 0;
  /** Ends the process that serves, and waits for the next one. */
  const another = async (signal: NodeJS.Signals) => {
    const before = pid();
    process.kill(before, signal);
    await until('another process serves', async () => pid() !== before && ingress.port !== undefined, 60);
  };
  return { home, port, upstream, ingress, agent, files, seen, slow, pid, holder, another };
}

function status(port: number, agent?: Agent, path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, path, headers: { host: 'app.localhost' }, agent: agent ?? false };
    get(options, (answer) => answer.resume().once('end', () => resolve(answer.statusCode))).once('error', reject);
  });
}

const rates = cellsOf([100, 500], (rate) => rate === 100);

test.each(rates)(
  'five kills under %i new connections a second refuse nobody, and each effect is seen once',
  async (perSecond) => {
    const { port, ingress, seen, another } = await served();
    // Nobody but the holder starts it again.
    ingress.close();
    const people = await newConnections({ url: `http://127.0.0.1:${port}/`, perSecond, effectsOn: 'app.localhost' });
    undo.push(() => people.end());
    for (let kill = 0; kill < 5; kill += 1) {
      await another('SIGKILL');
      await people.settled();
    }
    const killed = await people.settled();
    process.stdout.write(
      `five kills: ${killed.sent} connections, ${killed.reset} reset, slowest ${killed.slowest.toFixed(0)} ms\n`,
    );
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
  120_000,
);

test('asked to end, it finishes what it has, and another one takes what comes', async () => {
  const { port, pid, slow, another, files } = await served();
  const kept = new Agent({ keepAlive: true });
  const silent = connect(port, '127.0.0.1');
  undo.push(() => kept.destroy());
  expect(await status(port, kept)).toBe(200);
  const before = identify(pid());
  const answer = status(port, undefined, '/slow');
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'app.localhost' } });
  await Promise.all([once(socket, 'open'), until('it is under way', async () => slow.length > 0)]);
  await another('SIGTERM');
  expect(await status(port)).toBe(200);
  // Idle connections are closed without a reset: each of these would reject.
  expect(await text(silent)).toBe('');
  slow[0]?.end();
  expect(await answer).toBe(200);
  socket.send('still here');
  expect(String((await once(socket, 'message'))[0])).toBe('still here');
  socket.close();
  await until('it has ended', async () => before && !isAlive(before));
  expect(files.leaving()).toEqual([]);
});

test('a home that was deleted keeps no ingress from ending', async () => {
  const { home, pid, holder, ingress } = await served();
  ingress.close();
  const both = [identify(pid()), identify(holder())];
  const [, shell] = both;
  rmSync(home, { recursive: true });
  process.kill(shell?.pid ?? 0, 'SIGTERM');
  await until('both have ended', async () => !both.some((one) => one && isAlive(one)));
});

test('a holder that is killed gets a successor from the agent, and nobody is refused meanwhile', async () => {
  const { port, pid, holder } = await served();
  const [before, serving] = [holder(), pid()];
  process.kill(before, 'SIGKILL');
  await until('there is another holder', async () => {
    expect(await status(port)).toBe(200);
    return holder() !== before && pid() !== serving;
  });
  expect(await status(port)).toBe(200);
});

test('a program that ends at once is started more and more slowly, and the reason is known until it serves again', async () => {
  const ending = join(import.meta.dirname, '../../../test/agents/ending-ingress.sh');
  const { port, pid, ingress, files } = await served(['/bin/sh', ending, process.execPath, main]);
  const file = (name: string) => join(files.directory, name);
  const thief = await portThief([port]);
  undo.push(() => thief.end());
  writeFileSync(file('broken'), '');
  const began = performance.now();
  process.kill(pid(), 'SIGKILL');
  await until('the reason is known', async () => ingress.failure !== undefined);
  // Six starts at once, later ones at least a second apart: a slow machine makes fewer.
  const starts = readFileSync(file('starts'), 'utf8').split('\n').length - 1;
  expect(starts).toBeLessThanOrEqual(7 + (performance.now() - began) / 1_000);
  expect(ingress.failure).toMatch(
    new RegExp(`^The ingress does not start on 127\\.0\\.0\\.1, port ${port}: .+ ended with 9, \\d+ times in a row`),
  );
  const visitor = status(port);
  rmSync(file('broken'));
  // Who came meanwhile has waited.
  expect(await visitor).toBe(200);
  await until('nothing is wrong any more', async () => ingress.failure === undefined);
  expect(thief.got().filter((name) => !name.startsWith('::1 '))).toEqual([]);
});

// Elsewhere than on Linux nobody can look for them.
test.runIf(process.platform === 'linux')('a program that hangs at its start is ended with its holder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ballast-hanging-'));
  undo.push(() => rmSync(home, { recursive: true, force: true }));
  const late = join(import.meta.dirname, '../../../test/agents/late-ingress.ts');
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
  const home = mkdtempSync(join(tmpdir(), 'ballast-earlier-'));
  undo.push(() => rmSync(home, { recursive: true, force: true }));
  const files = new IngressFiles(join(home, 'ingress'));
  const program = join(import.meta.dirname, '../../../test/agents/earlier-ingress.ts');
  const earlier = spawn(process.execPath, [program, files.directory], { stdio: 'ignore' });
  undo.push(() => earlier.kill('SIGKILL'));
  const { port, pid } = await until('it serves', async () => files.serving());
  const agent = new Ingress({
    home,
    port,
    listen: '127.0.0.1',
    program: [process.execPath, main],
    log: { info() {}, warn() {} },
  });
  undo.push(() => agent.stop());
  let asking = true;
  const seen = new Set<number | undefined>();
  const visitor = (async () => {
    while (asking) seen.add(await status(port));
  })();
  expect(await agent.ensure()).toEqual({ port });
  await until('the earlier one has ended', async () => identify(pid) === undefined);
  asking = false;
  await visitor;
  // The earlier one answers all, and the new one has no routes yet: nothing was refused or reset.
  seen.add(await status(port));
  expect([...seen].sort()).toEqual([200, 404]);
  expect(files.serving()?.holder).toBeDefined();
});
