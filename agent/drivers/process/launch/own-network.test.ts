import { readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { listeningSentence } from '../../../../domain/deployments/listening.ts';
import { argumentsOf, processesNaming } from '../../../../test/agents/installed-agent.ts';
import { until } from '../../../../test/ground/until.ts';
import { sampleTest as test } from '../../../../test/images/sample-test.ts';
import { processGround } from '../../../../test/machines/process-ground.ts';
import { notRun } from '../../../../test/run/not-run.ts';
import { patient } from '../../../../test/run/patience.ts';
import { DriverBench } from '../../driver-bench.ts';

const ground = await processGround();
const { holds, why = '' } = (await (await ground.driver()).facts()).holds.fixedPorts ?? { holds: false };
if (!holds) notRun('fixed ports', why, 'passt');
let bench: DriverBench;
beforeAll(async () => {
  bench = await DriverBench.on(ground);
});
afterAll(() => ground.close());

const fixed = (listen: string, more: { args?: string[]; environment?: Record<string, string> } = {}) => ({
  environment: more.environment ?? {},
  process: { port: 3000, fixedPort: true, args: ['-listen', listen, ...(more.args ?? [])] },
});

test.skipIf(holds)('where there are no networks, a process with a fixed port is refused with the reason', async () => {
  await expect(bench.started(fixed(':3000'))).rejects.toThrow(
    `web has a fixed port, which needs a network of its own here. ${why}`,
  );
  expect(await bench.driver.list()).toEqual([]);
});

describe.runIf(holds)('programs that listen on one port whatever PORT says', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    for (const { id } of await bench.driver.list()) await bench.driver.remove(id);
  });
  const address = async (id: string) => (await bench.seen(id))?.address;
  /** The pasta of an instance, and not the shell that waits for it. */
  const between = async (id: string) =>
    processesNaming(`127.0.0.1/${(await address(id))?.port}:3000`).find((pid) => /^\S*pasta /.test(argumentsOf(pid))) ??
    0;

  /** Answers `here` to each line, on a port of the range of services. */
  async function service(): Promise<number> {
    for (let port = 19_999; ; port -= 1) {
      const server = createServer((client) => client.on('error', () => {}).once('data', () => client.end('here\n')));
      const listens = await new Promise((resolve) => {
        server.once('error', () => resolve(false));
        server.listen(port, '127.0.0.1', () => resolve(true));
      });
      if (!listens) continue;
      servers.push(server);
      return port;
    }
  }

  test('several have it at a time, on 127.0.0.1 alone, too, and each is reached; PORT says it', async () => {
    const ids = [await bench.started(fixed('127.0.0.1:3000')), await bench.started(fixed(':3000'))];
    const answers = await Promise.all(ids.map((id) => bench.answering(id)));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
    expect(new Set(await Promise.all(ids.map(async (id) => (await address(id))?.port))).size).toBe(2);
    for (const id of ids) {
      expect(await (await bench.ask(id, '/environment')).json()).toMatchObject({ PORT: '3000' });
      expect(await bench.driver.listening(id)).toMatchObject({ port: 3000, fixedPort: 'used' });
    }
  });

  test('a service that a variable names is reached, and no other port of the machine', async () => {
    const [named, other] = [await service(), await service()];
    const environment = { STORE_URL: `redis://127.0.0.1:${named}/0`, SELF_URL: 'http://127.0.0.1:3000' };
    const id = await bench.started(fixed(':3000', { environment }));
    await bench.answering(id);
    const asked = async (at: string) => await (await bench.ask(id, `/ask?line=x&address=${at}`)).json();
    expect(await asked(`127.0.0.1:${named}`)).toEqual({ said: 'here' });
    expect(await asked(`127.0.0.1:${other}`)).toHaveProperty('error');
    expect(await asked(`169.254.77.1:${other}`)).not.toEqual({ said: 'here' });
  });

  test('a command beside it runs in its network', async () => {
    const id = await bench.started(fixed('127.0.0.1:3000'));
    const { pid } = await bench.answering(id);
    let said = '';
    const output = (_: unknown, bytes: Buffer) => {
      said += bytes.toString();
    };
    const running = { output, signal: AbortSignal.timeout(patient(60_000)) };
    expect(await bench.driver.exec(id, ['readlink', '/proc/self/ns/net'], running)).toEqual({ code: 0 });
    expect(said.trim()).toBe(readlinkSync(`/proc/${pid}/ns/net`));
    expect(said.trim()).not.toBe(readlinkSync('/proc/self/ns/net'));
  });

  test('it has no address before it listens, and another port than the fixed one is said', async () => {
    const id = await bench.started(fixed(':4000'));
    const found = await until('where it listens', async () => {
      const now = await bench.driver.listening(id);
      return now?.sockets.some(({ port }) => port === 4000) ? now : undefined;
    });
    expect(await address(id)).toBeUndefined();
    expect(listeningSentence(found)).toMatch(
      /^It listens on 4000, not on PORT \(3000\): .*or set the port of its process to 4000\.$/,
    );
  });

  test('it is asked to end, ends in its own way, and leaves nothing', async () => {
    const id = await bench.started(fixed(':3000'));
    await bench.answering(id);
    const pasta = await between(id);
    expect(pasta).toBeGreaterThan(0);
    await bench.driver.stop(id, 30);
    expect(await bench.ended(id)).toMatchObject({ code: 0 });
    await until('the end of pasta', async () => !processesNaming('127.0.0.1/').includes(pasta));
  });

  test('one that nobody reaches any more ends, says why, and is there again after a start', async () => {
    const id = await bench.started(fixed(':3000'));
    await bench.answering(id);
    process.kill(await between(id), 'SIGKILL');
    expect(await bench.ended(id)).toMatchObject({ signal: 'SIGKILL' });
    expect((await bench.said(id)).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('The network of this instance ended'),
    );
    await bench.driver.start(id);
    await bench.answering(id);
  });

  test('an agent that comes later finds it, and says of a program without one that it could have it', async () => {
    const id = await bench.started(fixed(':3000'));
    await bench.answering(id);
    const later = await bench.ground.driver();
    expect((await later.list()).find((one) => one.id === id)).toMatchObject({
      state: 'running',
      address: await address(id),
    });
    const plain = await bench.started({ process: { args: ['-listen', ':4000'] } });
    const found = await until('where it listens', async () => {
      const now = await later.listening(plain);
      return now?.sockets.length === 1 ? now : undefined;
    });
    expect(listeningSentence(found)).toMatch(/or give its process the fixed port 4000 \(port=4000 fixedPort=true\)\.$/);
  });
});
