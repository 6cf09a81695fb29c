import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file for which an instance waits, so that a test decides when it goes on. */
export interface Gate {
  path: string;
  open(): void;
  shut(): void;
}

/** Gates that any user of the machine can look at: each service's instances have one of their own. */
export function openGates() {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-gates-'));
  chmodSync(directory, 0o755);
  let count = 0;
  return {
    /** One that stands open. */
    ajar: directory,
    gate(): Gate {
      count += 1;
      const path = join(directory, String(count));
      return { path, open: () => writeFileSync(path, ''), shut: () => rmSync(path) };
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}

export type Gates = ReturnType<typeof openGates>;

/** The command of every process: it waits for its gate, then does what the release says. */
export const gatedCommand = ['/bin/sh', '-c', 'until [ -e "$GATE" ]; do sleep 0.1; done; eval "$AFTER"'];
export const serves = 'exec ./sample';
