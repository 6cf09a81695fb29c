import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Has a directory's files on the disk before anything relies on them. The file system is flushed once as a whole: to flush
 * each of ten thousand small files takes half a minute.
 */
export async function flushTree(directory: string, signal: AbortSignal, program = 'sync'): Promise<void> {
  try {
    await run(program, ['-f', directory], { signal });
  } catch {
    // Of a system whose `sync` knows no single file system.
    signal.throwIfAborted();
    await flushEach(directory, signal);
  }
}

async function flushEach(directory: string, signal: AbortSignal): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    signal.throwIfAborted();
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const file = await open(join(entry.parentPath, entry.name), 'r');
    await file.sync().finally(() => file.close());
  }
}
