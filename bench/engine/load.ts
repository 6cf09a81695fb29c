import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Load {
  url: string;
  /** The requests of each connection, one after the other and over again, by their headers; reads if they have no method. */
  requests: { headers: Record<string, string>; method?: 'PUT'; body?: string }[];
  connections: number;
  warmUpSeconds: number;
  seconds: number;
}

const program = fileURLToPath(new URL('load-program.ts', import.meta.url));
const run = promisify(execFile);

export interface Answered {
  perSecond: number;
  /** The latency that 99 of 100 requests stay below, in milliseconds. */
  p99: number;
}

/** What a server answers to connections each of which asks again as soon as it is answered, asked by a process of its own. */
export async function answered(load: Load): Promise<Answered> {
  const { stdout } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    program,
    JSON.stringify(load),
  ]);
  return JSON.parse(stdout);
}

export async function requestsPerSecond(load: Load): Promise<number> {
  return (await answered(load)).perSecond;
}
