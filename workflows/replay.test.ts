import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { historyFromText } from '../temporal/history/history-text.ts';
import { installSdkOnce } from '../test/actors/actors.ts';
import { bundleCache } from '../test/ground/bundle-cache.ts';
import { workflowBundle } from '../worker/host/bundle.ts';

const histories = fileURLToPath(new URL('../test/histories', import.meta.url));
const files = await readdir(histories);
/** Of each file the error of its replay, undefined where it went well. */
const replayed = new Map<string, Error | undefined>();

beforeAll(async () => {
  // A replay would install the SDK as it is, and no later file of tests in this process could have it otherwise.
  await installSdkOnce();
  const bundle = await workflowBundle({ cache: bundleCache });
  // One worker for all: to start one costs more than to replay a history.
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle }, readHistories())) {
    replayed.set(workflowId, error);
  }
});

async function* readHistories() {
  for (const file of files) {
    yield { workflowId: file, history: historyFromText(await readFile(join(histories, file), 'utf8')) };
  }
}

test('there are histories of every way a deletion can end', () => {
  for (const end of ['restored', 'purged', 'purged-now', 'failed']) expect(files).toContain(`deletion-${end}.json`);
});

test('there are histories of every way a cluster and the update of its agent can go', () => {
  for (const way of ['deleted', 'goes-on', 'went-on']) expect(files).toContain(`cluster-${way}.json`);
  for (const end of ['succeeded', 'returned', 'failed', 'cancelled', 'refused']) {
    expect(files).toContain(`agent-update-${end}.json`);
  }
});

test('there are histories of every way a deployment and a change set can go', () => {
  const ends = [
    'live',
    'returned',
    'cancelled',
    'superseded',
    'queued',
    'approved',
    'rejected',
    'expired',
    'not-started',
  ];
  for (const end of [...ends, 'other-content', 'approved-as-it-expires'])
    expect(files).toContain(`deployment-${end}.json`);
  for (const end of ['applied', 'failed', 'nothing-to-run', 'approved', 'rejected', 'expired', 'open-held'])
    expect(files).toContain(`change-set-${end}.json`);
});

test('there are histories of every way a delivery and an incident can go', () => {
  for (const end of ['delivered', 'delivered-later', 'failed', 'dropped', 'open-retrying']) {
    expect(files).toContain(`notification-delivery-${end}.json`);
  }
  const ends = [
    'resolved',
    'resolved-meanwhile',
    'failed',
    'dropped',
    'open-triggering',
    'open-open',
    'open-resolving',
  ];
  for (const end of ends) expect(files).toContain(`incident-${end}.json`);
});

test.each(files)('%s still replays', (file) => {
  expect(replayed.has(file)).toBe(true);
  expect(replayed.get(file)).toBeUndefined();
});
