import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { apiProcesses, start } from '../test/api/api-process.ts';

apiProcesses();

test('a file of authorities that is missing ends it with one sentence', async () => {
  const api = start({ OUTBOUND_CA_FILE: '/nowhere/ca.pem' });
  expect(await api.exited).toBe(1);
  expect(api.stderr()).toBe('OUTBOUND_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT); correct it.\n');
});

test('a taken port, a missing setting: one sentence and 1', async () => {
  const holding = createServer();
  await new Promise<void>((resolve) => holding.listen(0, '127.0.0.1', resolve));
  const taken = holding.address();
  const port = typeof taken === 'object' && taken !== null ? String(taken.port) : '';
  for (const [env, sentence] of [
    [{ PORT: port }, /^PORT \d+ is taken by another program[^\n]*\n$/],
    [{ DATABASE_URL: '' }, /^DATABASE_URL is not set[^\n]*\n$/],
  ] as const) {
    const api = start(env);
    expect(await api.exited).toBe(1);
    expect(api.stderr()).toMatch(sentence);
  }
  holding.close();
});
