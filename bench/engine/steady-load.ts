import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface SteadyLoad {
  url: string;
  headers: Record<string, string>;
  perSecond: number;
  seconds: number;
}

const program = fileURLToPath(new URL('steady-program.ts', import.meta.url));
const run = promisify(execFile);

/** The latency that 99 of 100 requests stay below when so many come a second, in milliseconds. */
export async function p99(load: SteadyLoad): Promise<number> {
  const { stdout } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    program,
    JSON.stringify(load),
  ]);
  return Number(stdout);
}
