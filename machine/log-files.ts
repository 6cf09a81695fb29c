import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const largest = 10 * 1024 * 1024;
const kept = 3;

/**
 * Children write to their log files themselves, so that a supervisor that dies takes no log line with it. They hold the
 * file open for appending, which is why it is copied and emptied rather than renamed.
 */
export function rotate(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= largest) return;
  for (let number = kept - 1; number >= 1; number -= 1) {
    if (statSync(`${path}.${number}`, { throwIfNoEntry: false }))
      renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  copyFileSync(path, `${path}.1`);
  const file = openSync(path, 'r+');
  ftruncateSync(file, 0);
  closeSync(file);
}

/** The end of a log, without reading the rest of it. */
export function tail(path: string, bytes = 8192): string {
  if (!statSync(path, { throwIfNoEntry: false })) return '';
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(bytes, size));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(file);
  }
}
