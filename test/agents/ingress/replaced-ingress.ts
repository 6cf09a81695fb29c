import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Pool, request } from 'undici';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { Ingress, type Route } from '../../../agent/ingress/ingress.ts';
import { IngressFiles } from '../../../agent/ingress/ingress-files.ts';
import { identify } from '../../../machine/process-identity.ts';
import { freePort } from '../../ground/free-port.ts';
import { until } from '../../ground/until.ts';
import { sampleProgram } from '../../images/sample-image.ts';
import { ingressMain, type Undo } from './served-ingress.ts';

const quiet = { info: () => undefined, warn: () => undefined };

/** The port of the sample application, running. */
export async function sampleApplication(undo: Undo, version = '1'): Promise<number> {
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
  return port;
}

export const routesTo = (...ports: number[]): Route[] => [
  {
    host: 'app.localhost',
    upstreams: ports.map((port) => ({ instance: `web-${port}`, host: '127.0.0.1', port, protocol: 'http1' })),
  },
];

/** A machine that is too slow for the rate is not drowned. */
const mostOpen = 100;

/** So many requests a second, over connections that are kept and over new ones, until it is stopped. */
function load(undo: Undo, port: number, perSecond: number): { stop(): Promise<{ sent: number; failures: string[] }> } {
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
    while (sent < ((performance.now() - started) / 1000) * perSecond && open.size < mostOpen) {
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

/** Nothing is lost while the ingress is replaced so many times, and instances change, under so many requests a second. */
export async function replacedUnderLoad(
  undo: Undo,
  { rounds, perSecond }: { rounds: number; perSecond: number },
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'ballast-replaced-'));
  undo.push(() => rmSync(home, { recursive: true }));
  const ingress = (program: string) => {
    const one = new Ingress({ home, port: 0, listen: '127.0.0.1', program: [process.execPath, program], log: quiet });
    undo.push(() => one.stop());
    return one;
  };
  const [a, b] = [await sampleApplication(undo, '1'), await sampleApplication(undo, '2')];
  const first = ingress(ingressMain);
  const { port } = await first.ensure();
  await first.setRoutes(routesTo(a));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`, { headers: { host: 'app.localhost' } });
  await once(socket, 'open');
  const running = load(undo, port, perSecond);
  const files = new IngressFiles(join(home, 'ingress'));
  const seen = new Set<number>();
  let agent = first;
  for (let round = 0; round < rounds; round += 1) {
    agent.close();
    const program = join(home, `ingress-${round}.mjs`);
    writeFileSync(program, `process.title = 'ingress ${round}';\nawait import(${JSON.stringify(ingressMain)});\n`);
    agent = ingress(program);
    expect(await agent.ensure()).toEqual({ port });
    seen.add(files.serving()?.pid ?? 0);
    await agent.setRoutes(routesTo(round % 2 === 0 ? b : a));
    await until('nothing is under way at the other', async () => {
      // The WebSocket that was opened first stays where it is.
      const other = round % 2 === 0 ? a : b;
      return (await agent.inFlight({ host: '127.0.0.1', port: other })) === (other === a ? 1 : 0);
    });
  }
  const { sent, failures } = await running.stop();
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(perSecond / 10);
  expect(seen.size).toBe(rounds);
  socket.send('still here');
  expect(String((await once(socket, 'message'))[0])).toBe('still here');
  const old = files.leaving().map(({ pid }) => pid);
  expect(old.length).toBeGreaterThan(0);
  socket.close();
  await until(
    'the first has ended',
    async () => files.leaving().length < old.length || old.every((pid) => !identify(pid)),
  );
}
