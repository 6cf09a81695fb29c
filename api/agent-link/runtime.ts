import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Runtime } from '../agent-releases/agent-program.ts';

let known: Promise<Runtime> | undefined;

/** The file of the Node that runs this process. Read once, when somebody asks for the first time. */
export function runtime(): Promise<Runtime> {
  known ??= measure().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

export function openRuntime(): ReadStream {
  return createReadStream(process.execPath);
}

async function measure(): Promise<Runtime> {
  const hash = createHash('sha256');
  await pipeline(openRuntime(), hash);
  const { size } = await stat(process.execPath);
  return { os: process.platform, arch: process.arch, digest: `sha256:${hash.digest('hex')}`, sizeBytes: size };
}
