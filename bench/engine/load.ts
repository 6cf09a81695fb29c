import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Load {
  url: string;
  /** The requests of each connection, one after the other and over again, by their headers. */
  requests: { headers: Record<string, string> }[];
  connections: number;
  warmUpSeconds: number;
  seconds: number;
}

const program = fileURLToPath(new URL('load-program.ts', import.meta.url));
const run = promisify(execFile);

/** How many requests a second the server answers, asked by a process of its own. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { stdout } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    program,
    JSON.stringify(load),
  ]);
  return Number(stdout);
}
