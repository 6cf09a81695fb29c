/**
 * `node transfer-program.ts`: does the `TransferJob` that comes as a line of its standard input, and writes lines of `TransferLine`.
 * By itself, so that the work of an hour takes neither time nor memory from the agent. It stops, and leaves nothing in the store,
 * when its input ends: also when the agent is killed.
 */
import { createInterface } from 'node:readline';
import { openGivenBucket } from '../../outbound/s3/given-bucket.ts';
import { S3Failed } from '../../outbound/s3/s3-failures.ts';
import type { StoreTarget } from '../../protocol/volume.ts';
import { Refusal } from '../program/refusal.ts';
import { fetchDirectory, type StoredArchive, storeDirectory } from './transfer.ts';

export interface TransferJob {
  path: string;
  objectKey: string;
  store: StoreTarget;
  bytesPerSecond?: number | undefined;
  /** The archive that is to be unpacked into the directory; absent: the directory is packed. */
  fetch?: StoredArchive | undefined;
}

export type TransferLine =
  | { passed: [archiveBytes: number, objectBytes: number] }
  /** The last word. */
  | TransferEnd;

export type TransferEnd = { stored: StoredArchive & { warnings: string[] } } | { fetched: true } | { fault: string };

const toldEachMillis = 2_000;

const stopping = new AbortController();
const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void perform(JSON.parse(line)).finally(() => lines.close()));
lines.once('close', () => {
  stopping.abort();
  process.stdin.destroy();
});

async function perform({ store, fetch, ...job }: TransferJob): Promise<void> {
  const { allowedRanges, certificateAuthorities, ...target } = store;
  const passed: [number, number] = [0, 0];
  const telling = setInterval(() => tell({ passed }), toldEachMillis);
  try {
    const client = openGivenBucket(target, { allowedRanges, certificateAuthorities });
    const transfer = {
      ...{ ...job, client, signal: stopping.signal },
      passed: (archiveBytes: number, objectBytes: number) => {
        passed[0] += archiveBytes;
        passed[1] += objectBytes;
      },
    };
    try {
      if (fetch === undefined) tell({ stored: await storeDirectory(transfer) });
      else {
        await fetchDirectory(transfer, fetch);
        tell({ fetched: true });
      }
    } finally {
      await client.close();
    }
  } catch (error) {
    tell({ fault: faultOf(error, fetch === undefined) });
  } finally {
    clearInterval(telling);
  }
}

function faultOf(error: unknown, stores: boolean): string {
  if (error instanceof S3Failed) return `${stores ? 'Writing to' : 'Reading from'} the store failed: ${error.message}`;
  if (error instanceof Refusal) return stores ? `Reading the volume failed: ${error.message}` : error.message;
  return error instanceof Error ? error.message : String(error);
}

function tell(line: TransferLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
