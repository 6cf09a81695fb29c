import { readFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { historyFromText } from '../../temporal/history/history-text.ts';

const { History } = proto.temporal.api.history.v1;
const folder = new URL('../histories/', import.meta.url);

/** A history of test/histories/ as Temporal and the archive hold it, but for the encryption. */
export async function recordedHistory(name: string): Promise<Buffer> {
  const history = historyFromText(await readFile(new URL(`${name}.json`, folder), 'utf8'));
  return Buffer.from(History.encode(History.fromObject(history)).finish());
}
