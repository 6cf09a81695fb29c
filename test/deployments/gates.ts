import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signalProcess } from '../installation/process-family.ts';

/** A file for which an instance waits, so that a test decides when it goes on. */
export interface Gate {
  path: string;
  open(): void;
  /** Ends the instance that went through, if it said so, and lets no other one through. */
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
      return {
        path,
        open() {
          writeFileSync(path, '');
          chmodSync(path, 0o666);
        },
        shut() {
          const pid = Number(readFileSync(path, 'utf8'));
          rmSync(path);
          if (pid > 0) signalProcess(pid, 'SIGKILL');
        },
      };
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}

export type Gates = ReturnType<typeof openGates>;

/** The command of every process: it waits for its gate, then does what the release says. */
export const gatedCommand = ['/bin/sh', '-c', 'until [ -e "$GATE" ]; do sleep 0.1; done; eval "$AFTER"'];
/** A release command that ends when its gate is open. */
export const gatedMigration = (gate: string) => ['/bin/sh', '-c', `until [ -e ${gate} ]; do sleep 0.1; done`];
export const serves = 'exec ./sample';
/** The same, and its gate ends it when it is shut. */
export const servesWhileOpen = `echo $$ > "$GATE"; ${serves}`;
