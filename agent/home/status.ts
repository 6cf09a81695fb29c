import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import type { AgentCommand } from '../program/options.ts';
import { homeOption } from './home.ts';
import { readIdentity } from './identity.ts';
import { runningAgent } from './sole-agent.ts';

const status = z.object({
  pid: z.int(),
  version: z.string(),
  image: z.string(),
  url: z.string(),
  connected: z.boolean(),
  error: z.string().optional(),
  cluster: z.object({ id: z.string(), name: z.string() }).optional(),
  incarnation: z.int().optional(),
  driver: z.string(),
  dockerSocket: z.string().optional(),
  ingressPort: z.int().optional(),
  appliedRevision: z.int(),
  slices: z.int(),
  instances: z.int(),
});
export type Status = z.infer<typeof status>;

export function writeStatus(home: string, now: Status): void {
  writeFileAtomically(join(home, 'run', 'status.json'), JSON.stringify(now));
}

/** The last status that the running agent of this home wrote; undefined if none runs. */
export function readStatus(home: string): Status | undefined {
  const agent = runningAgent(home);
  if (agent === undefined) return undefined;
  try {
    const said = status.parse(JSON.parse(readFileSync(join(home, 'run', 'status.json'), 'utf8')));
    return said.pid === agent.pid ? said : undefined;
  } catch {
    return undefined;
  }
}

/** Number of instances at the last look of an agent; they keep running without one. */
export function countRunning(home: string): number {
  try {
    return status.parse(JSON.parse(readFileSync(join(home, 'run', 'status.json'), 'utf8'))).instances;
  } catch {
    return 0;
  }
}

export const tellStatus: AgentCommand = {
  name: 'status',
  summary: 'Shows whether the agent of this machine runs, for which cluster, and whether it is in contact.',
  details: 'Exits with 0 if it is in contact, else with 1.',
  options: { home: homeOption, json: { what: 'As JSON.' } },
  async run(values) {
    const home = values.needed('home');
    const status = readStatus(home);
    const cluster = status?.cluster ?? readIdentity(home)?.cluster;
    if (values.has('json')) {
      const told = status ?? { connected: false, ...(cluster === undefined ? {} : { cluster }) };
      process.stdout.write(`${JSON.stringify({ running: status !== undefined, ...told })}\n`);
    } else if (status === undefined) {
      const where = cluster === undefined ? 'and is not enrolled' : `and is enrolled for the cluster ${cluster.name}`;
      process.stdout.write(`The agent of ${home} is not running ${where}.\n`);
    } else {
      const contact = status.connected ? 'in contact with' : 'out of contact with';
      process.stdout.write(
        `The agent ${status.image} (pid ${status.pid}) of the cluster ${cluster?.name ?? '?'} is ${contact} ${status.url}.\n` +
          `It runs ${status.instances} instances of ${status.slices} workloads with the ${status.driver} driver.\n` +
          (status.error === undefined ? '' : `${status.error}\n`),
      );
    }
    return status?.connected ? 0 : 1;
  },
};

/** How often the agent ended by itself since it last reached its control plane, as its launcher counts. */
interface Failures {
  count: number;
  /** Exit code of the last failure. */
  code: number;
}

export function readFailures(home: string): Failures | undefined {
  try {
    const [count, code] = readFileSync(pathIn(home), 'utf8').split(' ').map(Number);
    return count && Number.isInteger(count) ? { count, code: Number(code) } : undefined;
  } catch {
    return undefined;
  }
}

export function forgetFailures(home: string): void {
  rmSync(pathIn(home), { force: true });
}

function pathIn(home: string): string {
  return join(home, 'run', 'failures');
}
