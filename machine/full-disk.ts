export interface FullDisk {
  /** Whose disk it is: by the paths of many files nobody can tell how many disks they are. */
  disk: string;
  /** Which disk, what failed, and what to do. */
  sentence: string;
}

const remedy = 'free space on it; what failed is tried again and goes on by itself then.';

/** The word of a failure on a disk that is full, ours or that of PostgreSQL; undefined: it is another failure. */
export function fullDisk(error: unknown): FullDisk | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    const { code, path, syscall, message } = current as NodeJS.ErrnoException;
    if (code === '53100') {
      return { disk: 'PostgreSQL', sentence: `The disk of PostgreSQL is full (${message}): ${remedy}` };
    }
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const where = path === undefined ? 'this program' : path;
      return {
        disk: 'this machine',
        sentence: `The disk of ${where} is full (${syscall ?? 'write'}: ${code}): ${remedy}`,
      };
    }
  }
  return undefined;
}
