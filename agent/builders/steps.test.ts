import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { maskOf } from '../../domain/variables/mask.ts';
import { portOf } from '../../machine/test-ground.ts';
import { openProxy } from '../../outbound/proxy.ts';
import { until } from '../../test/ground/until.ts';
import { BuildLog } from './build-log.ts';
import { BuildNetwork } from './build-settings.ts';
import { CommandFailed } from './step-failed.ts';
import { Steps } from './steps.ts';

function logged() {
  let text = '';
  const told = (piece: Buffer) => {
    text += piece;
  };
  const log = new BuildLog({ told, mask: maskOf([]) });
  return { log, text: () => text };
}

test('a step that writes nothing says what it runs, for how long, and to whom it has connections', async () => {
  const { log, text } = logged();
  const { signal } = new AbortController();
  const network = { open: () => 'registry.npmjs.org', failures: 0, failuresSince: () => [] };
  const steps = new Steps(log, signal, () => {}, { quietMillis: 300, network });
  await steps.run('install', 'npm ci\necho done', async () => {
    await until('it says so', async () => text().includes('Nothing was written'));
  });
  expect(text()).toMatch(
    /Nothing was written for \d+ s: the step install runs `npm ci` for \d+ s; open connections: registry\.npmjs\.org\./,
  );
});

test('a step that fails says which address it was refused, however much it has written since', async () => {
  const { log, text } = logged();
  const network = new BuildNetwork((line) => log.say(line));
  let refuse: (line: string) => void = () => {};
  const onFailure = (told: typeof refuse) => {
    refuse = told;
    return () => {};
  };
  network.follow({ hosts: () => [], onFailure });
  const steps = new Steps(log, new AbortController().signal, () => {}, { network });
  const failing = (line?: string) =>
    steps.run('install', 'npm ci', async () => {
      if (line !== undefined) refuse(line);
      for (let other = 0; other < 30; other += 1) log.say(`npm warn ${other}`);
      throw new CommandFailed('npm ci', { ended: 'exited', code: 1 });
    });
  const told = 'The network of builds refused an address: ';
  await expect(failing('network: 10.1.2.3 is private.')).rejects.toThrow(`${told}10.1.2.3 is private.`);
  // That of an earlier step is not why another one fails, unless it meets the same again.
  await expect(failing()).rejects.not.toThrow(told);
  await expect(failing('network: 10.1.2.3 is private.')).rejects.toThrow(`${told}10.1.2.3 is private.`);
  expect(text().match(/^network: /gm)).toHaveLength(1);
});

test('why a step failed is seen at the end of a line that is too long to be told, too', async () => {
  const { log } = logged();
  const steps = new Steps(log, new AbortController().signal, () => {});
  const failing = steps.run('build', 'hugo', async () => {
    const line = `error in ${'deep/'.repeat(60)}page: dial tcp: lookup api.example.com: no such host\n`;
    log.write('stderr', Buffer.from(line));
    throw new CommandFailed('hugo', { ended: 'exited', code: 1 });
  });
  const told = await failing.catch((error: Error) => error.message);
  expect(told).toContain('An address could not be reached.');
  expect(told).not.toContain('no such host');
});

test('an address that is refused or not reached is said at once, once, and hosts while a connection to them is open', async () => {
  const { log, text } = logged();
  const network = new BuildNetwork((line) => log.say(line));
  const proxy = openProxy({ allowedRanges: ['127.0.0.1/32'], allowedBy: 'the owner can allow it' });
  const [door, target] = [createServer(), createServer()];
  const [way, host] = [await portOf(door), await portOf(target)];
  proxy.serve(door);
  const stop = network.follow(proxy);
  const asked = async (authority: string) => {
    const client = connect(way, '127.0.0.1');
    client.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
    const [answer] = await once(client, 'data');
    return { client, answer: String(answer) };
  };
  for (let time = 0; time < 2; time += 1) {
    const { client, answer } = await asked('10.1.2.3:443');
    expect(answer).toContain(' 403 ');
    client.destroy();
  }
  log.flush();
  expect(text().match(/^network: .*10\.1\.2\.3/gm)).toHaveLength(1);
  expect(network.failuresSince(0)).toEqual([expect.stringContaining('10.1.2.3')]);
  await until('nothing is open', async () => network.open() === '');
  const { client, answer } = await asked(`127.0.0.1:${host}`);
  expect(answer).toContain(' 200 ');
  expect(network.open()).toBe(`127.0.0.1:${host}`);
  client.destroy();
  await until('it is closed', async () => network.open() === '');
  target.close();
  await once(target, 'close');
  const before = network.failures;
  const again = await asked(`127.0.0.1:${host}`);
  expect(again.answer).toContain(' 502 ');
  again.client.destroy();
  expect(network.failuresSince(before)).toEqual([
    `unreachable: The host 127.0.0.1:${host} could not be reached: ECONNREFUSED.`,
  ]);
  stop();
  proxy.close();
});
