import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../machine/process-identity.ts';
import { readHome } from '../../../runtime/home/home.ts';
import { postgresSocketDirectory, socketPort } from '../../../runtime/postgres/postgres-address.ts';
import { newConnections } from '../../attacks/new-connections.ts';
import { type PathThief, pathThief } from '../../attacks/path-thief.ts';
import { type PortThief, portThief } from '../../attacks/port-thief.ts';
import { Installation } from '../../installation/installation.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { partNames } from '../../installation/running-parts.ts';
import { patient } from '../../run/patience.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start('held-ports');
});
afterAll(() => installation?.remove());

/** A thief of the sockets where the parts meet. Without root it would be the owner of everything. */
async function innerThief(): Promise<PathThief | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // The home itself has to keep it out, and not the directory of this test.
  chmodSync(dirname(installation.home), 0o755);
  const postgres = join(postgresSocketDirectory(readHome(installation.home)), `.s.PGSQL.${socketPort}`);
  return await pathThief([
    postgres,
    ...['api', 'identity'].map((name) => join(installation.home, 'run', `${name}.sock`)),
  ]);
}

function expectNothing(inner: PathThief | undefined): void {
  if (inner === undefined) return;
  const { got, reached, heard } = inner;
  expect({ got: got(), reached: reached(), heard: heard() }).toEqual({ got: [], reached: [], heard: [] });
}

describe('ports and sockets are never free', () => {
  let thief: PortThief;
  let inner: PathThief | undefined;
  let workerPort: number;

  beforeAll(async () => {
    workerPort = readHome(installation.home).record.ports.worker ?? 0;
    thief = await portThief([installation.port, workerPort]);
    inner = await innerThief();
  });
  afterAll(async () => {
    await thief?.end();
    await inner?.end();
  });

  /** Callers of the worker use 127.0.0.1; `localhost` is a word for browsers. */
  const stolen = () => thief.got().filter((name) => name !== `::1 ${workerPort}`);

  test(
    'while the API is killed again and again, nobody is refused and everybody is answered',
    async () => {
      const people = await newConnections({ url: `${installation.url}/healthz`, perSecond: 500 });
      try {
        for (let kill = 0; kill < 5; kill++) {
          const before = installation.parts.pid('api');
          installation.parts.kill('api');
          await installation.replaced('api', before);
          // Who came while nobody was there waits for the next process, and no longer.
          await people.settled();
        }
        const { refused, strange, reset, slowest, sent } = await people.settled();
        process.stdout.write(
          `kills of the API: ${sent} connections, ${reset} reset, slowest ${slowest.toFixed(0)} ms\n`,
        );
        expect({ refused, strange }).toEqual({ refused: 0, strange: [] });

        const api = installation.parts.pid('api');
        signalProcess(api, 'SIGTERM');
        await installation.replaced('api', api);
        expect(await people.settled()).toMatchObject({ refused: 0, strange: [], reset });
      } finally {
        await people.end();
      }
      expect(stolen()).toEqual([]);
    },
    patient(300_000),
  );

  test('while worker, identity provider and PostgreSQL are killed', async () => {
    const killed = ['worker', 'identity', 'postgres'] as const;
    const before = killed.map((part) => installation.parts.pid(part));
    installation.parts.kill(...killed);
    for (const [index, part] of killed.entries()) await installation.replaced(part, before[index] ?? 0);
    await installation.providerReady();
    expect(stolen()).toEqual([]);
    expectNothing(inner);
  });
});

describe('when everything was killed', () => {
  test('a stranger that has the port is named, not believed, and nothing is started', async () => {
    const workerPort = readHome(installation.home).record.ports.worker ?? 0;
    const killed = installation.processes();
    installation.parts.kill('supervisor', ...partNames);
    await installation.ended();
    // The kernel takes its time with a large process.
    await installation.until('nothing of it runs', async () => !killed.some(isAlive));
    const thief = await portThief([installation.port, workerPort]);
    try {
      await installation.until('the stranger has the port', async () => thief.got().length > 0);
      const { code, stderr, stdout } = await installation.run('up');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(
          `^ballast: Port ${installation.port} of \\S+ is taken by another program, \\S+ \\(process ${thief.pid}\\); stop it or set PORT`,
        ),
      );
      expect(installation.processes()).toEqual([]);
    } finally {
      await thief.end();
    }
  });

  test('a port that nobody chose is replaced, others are ours from the start on, and PostgreSQL may die right after it was ready', async () => {
    const workerPort = readHome(installation.home).record.ports.worker ?? 0;
    const thief = await portThief([workerPort]);
    const inner = await innerThief();
    let late: PortThief | undefined;
    try {
      await installation.until('the stranger has the port', async () => thief.got().length > 0);
      const starting = installation.start();
      await installation.until('PostgreSQL is ready', async () => installation.output.includes('✓ PostgreSQL'));
      installation.parts.kill('postgres');
      // Long before API and worker are there, as in an ordinary start.
      const moved = readHome(installation.home).record.ports.worker ?? 0;
      late = await portThief([installation.port, moved]);
      await starting;
      await installation.ready();
      expect(moved).not.toBe(workerPort);
      expect(late.got().filter((name) => name !== `::1 ${moved}`)).toEqual([]);
      expectNothing(inner);
    } finally {
      await thief.end();
      await inner?.end();
      await late?.end();
    }
  });
});

test('`down` ends what nobody has written down, too', async () => {
  const all = installation.processes();
  installation.parts.kill('supervisor');
  await installation.ended();
  rmSync(join(installation.home, 'run', 'processes.json'));
  const { code, stdout } = await installation.run('down');
  expect(code).toBe(0);
  for (const part of ['api', 'worker', 'identity', 'temporal', 'postgres'])
    expect(stdout).toContain(`Stopping ${part}, `);
  expect(all.filter(isAlive)).toEqual([]);
});
