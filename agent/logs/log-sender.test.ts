import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { LogBatch } from '../../protocol/logs.ts';
import type { LogNews } from '../drivers/driver.ts';
import { sendLog } from './log-senders.ts';

test('the reader of a log without a line hears at once that its agent has begun', async () => {
  const over = new AbortController();
  async function* quiet(): AsyncGenerator<LogNews, void, undefined> {
    yield { begin: { stdout: 7, stderr: 9 } };
    await once(over.signal, 'abort');
  }
  const heard = Promise.withResolvers<LogBatch>();
  const sending = sendLog(
    { id: 'reader', instance: 'web-1', tail: 100, follow: true },
    {
      driver: { logs: quiet },
      post: async (_, batch) => {
        heard.resolve(batch);
        return { taken: true };
      },
      holdsLeases: () => true,
      lingerMillis: () => 0,
      signal: over.signal,
    },
  );
  expect(await heard.promise).toEqual({ from: { stdout: 7, stderr: 9 }, to: { stdout: 7, stderr: 9 }, chunks: [] });
  over.abort();
  expect(await sending).toBe('gone');
});
