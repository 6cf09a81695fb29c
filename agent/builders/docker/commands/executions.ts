import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { contentOf } from '../../../../machine/files.ts';
import { mountOf } from '../../../drivers/process/launch/control-groups.ts';

/** A command of a build that runs now. */
export interface Execution {
  id: string;
  /** Its control groups, whether they are there yet or not. */
  groups: string[];
}

const config = z.object({
  process: z.object({ env: z.array(z.string()) }),
  linux: z.object({ cgroupsPath: z.string() }),
});

/** Why this agent cannot limit commands of builds; undefined if it can. */
export function reasonAgainstLimits(): string | undefined {
  const mounts = [mountOf('memory'), mountOf('pids')].map((found) => found?.mount);
  if (mounts.includes(undefined)) return 'This machine has no control groups for memory and processes.';
  for (const path of mounts.flatMap((mount) => mount ?? []))
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return `The agent cannot use ${path} (${why}), and BuildKit itself takes no limits.`;
    }
  return undefined;
}

/** Where BuildKit keeps what it gives to `runc`, a folder for each command, and its own process. */
export interface Runner {
  executions: string;
  pid: number;
}

/** Those with this marker, or with an end of one. A command cannot change what it is told by. */
export function executionsOf({ executions: folder, pid }: Runner, marker: string): Execution[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((id) => {
    const read = readConfig(join(folder, id, 'config.json'));
    if (read === undefined || !isMarked(read.process.env, marker)) return [];
    return [{ id, groups: groupsAt(pid, read.linux.cgroupsPath) }];
  });
}

/** Undefined while it is being written, and for what is no command. */
function readConfig(path: string): z.infer<typeof config> | undefined {
  try {
    return config.parse(JSON.parse(contentOf(path)));
  } catch {
    return undefined;
  }
}

function isMarked(env: readonly string[], marker: string): boolean {
  const hosts = env.flatMap((one) => /^no_proxy=(.*)$/i.exec(one)?.[1]?.split(',') ?? []);
  return hosts.some((host) => host === marker || host.endsWith(`.${marker}`));
}

/** The folders of a control group, by the name that `runc` is given within the container of a builder. */
export function groupsAt(pid: number, cgroupsPath: string): string[] {
  const lines = contentOf(`/proc/${pid}/cgroup`).split('\n');
  const groups = (['memory', 'pids'] as const).flatMap((controller) => {
    const found = mountOf(controller);
    if (found === undefined) return [];
    return join(found.mount, groupOf(lines, found.version === 1 ? controller : ''), cgroupsPath);
  });
  return [...new Set(groups)];
}

/** The group of the container: with version 2 its own processes are in one beneath it. */
function groupOf(lines: readonly string[], controller: string): string {
  const found = lines.map((line) => line.split(':')).find(([, names = '']) => names.split(',').includes(controller));
  return (found?.slice(2).join(':') ?? '/').replace(/\/init$/, '');
}
