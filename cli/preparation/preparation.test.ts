import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { familyOf, signalProcess } from '../../test/installation/process-family.ts';
import { Preparation } from './preparation.ts';

let stopping: AbortController;
let url: string;

beforeEach(async () => {
  stopping = new AbortController();
  url = `postgresql://ballast:hunter2@127.0.0.1:${await freePort()}/ballast`;
});
afterEach(() => stopping.abort());

/** The processes of this test that prepare something. */
function children(): number[] {
  const pids = familyOf(process.pid).map(({ pid }) => pid);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('prepare-main');
    } catch {
      return false;
    }
  });
}

test('it waits for a PostgreSQL that is away, in another process when that is killed, until it is told to stop', async () => {
  const preparation = new Preparation(() => ({ DATABASE_URL: url }), stopping.signal);
  const told: string[] = [];
  const asked = preparation.ask('tables', (text) => told.push(text)).catch((error: unknown) => error);
  await until('it says what it waits for', async () => told.includes('PostgreSQL is away; waiting for it'));
  const [first = 0] = children();
  signalProcess(first, 'SIGKILL');
  // Its last words may still be on their way.
  await until('it is gone', async () => !children().includes(first));
  told.length = 0;
  await until('another one has taken its place', async () => {
    return children().length === 1 && told.includes('PostgreSQL is away; waiting for it');
  });
  expect(children()).not.toContain(first);
  stopping.abort();
  expect(await asked).toBeInstanceOf(Error);
  await until('nothing is left', async () => children().length === 0);
});

test('a failure that is no absence is told at once, in its own words and without the password', async () => {
  const preparation = new Preparation(
    () => ({ DATABASE_URL: 'mysql://root:hunter2@127.0.0.1/ballast' }),
    stopping.signal,
  );
  const failure = await preparation.ask('tables').catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'Refusal', message: expect.stringMatching(/^DATABASE_URL /) });
  expect(String(failure)).not.toContain('hunter2');
  preparation.end();
  await until('nothing is left', async () => children().length === 0);
});
