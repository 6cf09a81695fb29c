import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, expect } from 'vitest';
import { portOf, temporaryFolder } from '../../machine/test-ground.ts';
import { until } from '../../test/ground/until.ts';
import { sampleTest as test } from '../../test/images/sample-test.ts';
import { processGround } from '../../test/machines/process-ground.ts';
import { Builders } from '../builders/builders.ts';
import { Journal } from '../journal/journal.ts';
import { Client } from '../link/client.ts';
import { Commands, type CommandsOptions } from './commands.ts';
import type { RunResult } from './run.ts';

const silent = { info: () => {}, warn: () => {} };
const told: { url: string; body: unknown }[] = [];
const server = createServer(async (asked, answer) => {
  told.push({ url: asked.url ?? '', body: await json(asked) });
  answer.end('{}');
});
const home = temporaryFolder();
const ground = await processGround();
afterAll(async () => {
  client.close();
  await ground.close();
});

const port = await portOf(server);
const client = new Client({ url: `http://127.0.0.1:${port}`, credential: () => 'a'.repeat(43) });
const failed: RunResult = { outcome: 'failed' };
const noBuilder = { open: async () => ({ why: 'Nothing is built here.' }), build: async () => failed };
async function commandsWith(parts: Pick<CommandsOptions, 'journal'> & Partial<CommandsOptions>): Promise<Commands> {
  told.length = 0;
  const driver = await ground.driver();
  const silently = { client, driver, log: silent, mountsOf: () => new Set<string>(), builders: noBuilder };
  const refusing = {
    ...{ restart: async () => {}, run: async () => failed, update: async () => failed },
    whileStill: async () => ({}),
  };
  return new Commands({ ...silently, ...refusing, ...parts });
}

test('a build that an agent was killed in is reported as unknown, and not before its leftovers are gone', async () => {
  const own = join(home, 'killed');
  const id = randomUUID();
  const journal = new Journal(join(own, 'journal'), silent);
  const limits = { seconds: 60, memoryBytes: 1, diskBytes: 1, processes: 1 };
  const rest = {
    builder: 'auto',
    context: '',
    dockerfile: '',
    target: '',
    source: { kind: 'upload', sizeBytes: 0 },
  } as const;
  const body = { kind: 'build', repository: 'a/b/c', tag: 'd', cacheKey: 'e', ...rest, limits } as const;
  journal.receive({ id, attempt: 1, body });
  journal.start(id);
  const left = join(own, 'builds', id, 'source');
  mkdirSync(left, { recursive: true });
  const most = { memoryBytes: 2 ** 31, diskBytes: 2 ** 33, seconds: 3_600 };
  const settings = {
    environment: {},
    allowedRanges: [],
    cacheBytes: 1,
    limits: most,
    baseImages: {},
    builderImage: '',
  };
  const builders = new Builders({ home: own, client, driver: 'process', settings });
  const commands = await commandsWith({ journal, builders });
  try {
    await commands.endLeftovers();
    expect({ told, left: readdirSync(join(own, 'builds')) }).toEqual({ told: [], left: [] });
    commands.start();
    await until('its end is told', async () => told.length > 0);
    expect(told[0]).toMatchObject({ url: `/agent/v1/commands/${id}/result`, body: { attempt: 1, outcome: 'unknown' } });
  } finally {
    commands.close();
  }
});

test('a journal that cannot be written for a while keeps an end back, and loses none', async () => {
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message) };
  const directory = join(home, 'journal');
  let restarts = 0;
  const commands = await commandsWith({
    journal: new Journal(directory, log),
    async restart() {
      restarts += 1;
      renameSync(directory, `${directory}.away`);
      writeFileSync(directory, '');
    },
    log,
  });
  const id = randomUUID();
  try {
    commands.accept({ id, attempt: 1, body: { kind: 'restart', key: 'a' } });
    await until('it says so', async () => warnings.some((warning) => warning.includes('journal cannot be written')));
    expect({ told, running: commands.running() }).toEqual({ told: [], running: [id] });
    rmSync(directory);
    renameSync(`${directory}.away`, directory);
    await until('its end is told', async () => told.length > 0);
    const body = { attempt: 1, outcome: 'done', exitCode: 0 };
    expect({ told, restarts }).toEqual({ told: [{ url: `/agent/v1/commands/${id}/result`, body }], restarts: 1 });
  } finally {
    commands.close();
  }
});
