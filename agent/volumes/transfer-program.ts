/**
 * `node transfer-program.ts`: does the `TransferJob` that comes as a line of its standard input, and writes lines of `TransferLine`.
 * By itself, so that the work of an hour takes neither time nor memory from the agent. It stops, and leaves nothing in the store,
 * when its input ends: also when the agent is killed.
 */
import { createInterface } from 'node:readline';
import { OutboundRefused } from '../../outbound/failures.ts';
import { openGivenBucket } from '../../outbound/s3/given-bucket.ts';
import { S3Failed } from '../../outbound/s3/s3-failures.ts';
import type { StoreTarget } from '../../protocol/volume.ts';
import { Refusal } from '../program/refusal.ts';
import { type StoredArchive, storeDirectory } from './transfer.ts';

export interface TransferJob {
  path: string;
  objectKey: string;
  store: StoreTarget;
  bytesPerSecond?: number | undefined;
}

export type TransferLine =
  | { passed: [archiveBytes: number, storedBytes: number] }
  | { stored: StoredArchive & { warnings: string[] } }
  | { fault: string };

const toldEachMillis = 2_000;

const stopping = new AbortController();
const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void perform(JSON.parse(line)).finally(() => lines.close()));
lines.once('close', () => {
  stopping.abort();
  process.stdin.destroy();
});

async function perform({ store, ...job }: TransferJob): Promise<void> {
  const { allowedRanges, certificateAuthorities, ...target } = store;
  const passed: [number, number] = [0, 0];
  const telling = setInterval(() => tell({ passed }), toldEachMillis);
  try {
    const client = openGivenBucket(target, { allowedRanges, certificateAuthorities });
    const stored = await storeDirectory({
      ...{ ...job, client, signal: stopping.signal },
      passed: (archiveBytes, storedBytes) => {
        passed[0] += archiveBytes;
        passed[1] += storedBytes;
      },
    }).finally(() => client.close());
    tell({ stored });
  } catch (error) {
    tell({ fault: faultOf(error) });
  } finally {
    clearInterval(telling);
  }
}

function faultOf(error: unknown): string {
  if (error instanceof S3Failed) return `Writing to the store failed: ${error.message}`;
  if (error instanceof OutboundRefused) return error.message;
  if (error instanceof Refusal) return `Reading the volume failed: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function tell(line: TransferLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
