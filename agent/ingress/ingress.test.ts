import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { identify, isAlive } from '../../machine/process-identity.ts';
import { temporaryFolder, undoing } from '../../machine/test-ground.ts';
import { replacedUnderLoad, routesTo, sampleApplication } from '../../test/agents/ingress/replaced-ingress.ts';
import { ingressMain } from '../../test/agents/ingress/served-ingress.ts';
import { until } from '../../test/ground/until.ts';
import { Ingress } from './ingress.ts';
import { IngressFiles } from './ingress-files.ts';

const quiet = { info: () => undefined, warn: () => undefined };
const undo = undoing();

function ingress(home: string, program = [process.execPath, ingressMain], port = 0): Ingress {
  const made = new Ingress({ home, port, listen: '127.0.0.1', program, log: quiet });
  undo.push(() => made.stop());
  return made;
}

const status = async (port: number): Promise<number | undefined> =>
  // Each on a connection of its own: one that is kept would be reset with the ingress.
  request(`http://127.0.0.1:${port}/`, { headers: { host: 'app.localhost' }, reset: true }).then(
    ({ statusCode, body }) => body.dump().then(() => statusCode),
    () => undefined,
  );

test('it goes on without an agent, the next one adopts it, and killed it is back with its routes', async () => {
  const home = temporaryFolder();
  const [first, app] = [ingress(home), await sampleApplication(undo)];
  const { port } = await first.ensure();
  await first.setRoutes(routesTo(app));
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
  const home = join(temporaryFolder(), 'x'.repeat(120));
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
  const home = temporaryFolder();
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

test('nothing is lost while the ingress is replaced and instances change under load', () =>
  replacedUnderLoad(undo, { rounds: 1, perSecond: 40 }));
