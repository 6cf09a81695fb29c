import { afterAll, beforeAll, expect, test } from 'vitest';
import { Installation } from '../installation/installation.ts';
import { secretsInLogs } from '../installation/secrets-in-logs.ts';
import { story } from '../installation/story.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start('scale-out');
});
afterAll(() => installation?.remove());

/** Several organizations at once, so that the work is spread over whatever processes there are. */
async function stories(urls: string[], midway?: () => void): Promise<void> {
  const stages = Array.from({ length: 4 }, () => ({ installation, urls, ...(midway ? { midway } : {}) }));
  await Promise.all(stages.map(story));
}

test('one API and one worker', async () => {
  await stories([installation.url]);
});

test('two APIs and two workers, of which one is killed in the middle', async () => {
  const [api, worker] = await Promise.all([installation.startBeside('api'), installation.startBeside('worker')]);
  await stories([installation.url, api.url], () => worker.kill());
  await installation.until('the killed worker is gone', async () => worker.over());
  expect((await installation.readiness(api.url))?.ready).toBe(true);
  expect(secretsInLogs(installation)).toEqual([]);
});
