import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { historyFromText } from '../../temporal/history/history-text.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';
import { bundleCache } from '../ground/bundle-cache.ts';
import { installSdkOnce } from './actors.ts';

const histories = fileURLToPath(new URL('../histories', import.meta.url));

/** The files of test/histories/. */
export const historyFiles = await readdir(histories);

/** Of each of these files the error of its replay, undefined where it went well. */
export async function replayed(files: readonly string[]): Promise<Map<string, Error | undefined>> {
  // A replay would install the SDK as it is, and no later file of tests in this process could have it otherwise.
  await installSdkOnce();
  const bundle = await workflowBundle({ cache: bundleCache });
  const errors = new Map<string, Error | undefined>();
  // One worker for all: to start one costs more than to replay a history.
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle }, read(files))) {
    errors.set(workflowId, error);
  }
  return errors;
}

async function* read(files: readonly string[]) {
  for (const file of files) {
    yield { workflowId: file, history: historyFromText(await readFile(join(histories, file), 'utf8')) };
  }
}
