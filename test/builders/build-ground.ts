import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SandboxEnd, Sandboxed } from '../../agent/builders/sandbox/run.ts';
import { openSandbox, runSandboxed, type Sandbox } from '../../agent/builders/sandbox/sandbox.ts';
import { notRun } from '../run/not-run.ts';

export interface Ran {
  end: SandboxEnd;
  out: string;
  err: string;
}

/** A place in which builds run as on a machine of a cluster. */
export interface BuildGround {
  sandbox: Sandbox;
  directory: string;
  home: string;
  source: string;
  cache: string;
  run(command: string, more?: Partial<Sandboxed>, sandbox?: Sandbox): Promise<Ran>;
  close(): Promise<void>;
}

/** The Node of the tests, for commands that no shell has. */
export const node = { at: '/opt/node', directory: dirname(dirname(process.execPath)) };
export const enough = { seconds: 120, memoryBytes: 2 ** 30, diskBytes: 2 ** 30, processes: 200 };

/** Undefined where this machine has no namespaces; says so. */
export async function buildGround(): Promise<BuildGround | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-build-'));
  const [home, source, cache] = ['home', 'source', 'cache'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, source, cache]) mkdirSync(path, { mode: 0o700 });
  const found = await openSandbox({ home, outbound: { allowedRanges: [] } });
  if ('why' in found) {
    notRun('sandbox', found.why);
    await rm(directory, { recursive: true });
    return undefined;
  }
  const { sandbox: own } = found;
  return {
    ...{ sandbox: own, directory, home, source, cache },
    async run(command, more = {}, sandbox = own) {
      const said = { stdout: '', stderr: '' };
      const end = await runSandboxed(sandbox, {
        ...{ command, directory: source, workdir: '', caches: [{ name: 'npm', directory: cache }], tools: [node] },
        ...{ environment: {}, limits: enough, signal: new AbortController().signal },
        output: (stream, bytes) => {
          said[stream] += bytes;
        },
        ...more,
      });
      return { end, out: said.stdout, err: said.stderr };
    },
    close: () => rm(directory, { recursive: true }),
  };
}
