import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
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
