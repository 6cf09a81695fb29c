import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mountOf } from '../../../drivers/process/launch/control-groups.ts';
import { contentOf } from '../../sandbox/content.ts';

/** A command of a build that the engine runs now. */
export interface Execution {
  id: string;
  /** Its control groups, whether they are there yet or not. */
  groups: string[];
}

const config = z.object({
  process: z.object({ env: z.array(z.string()) }),
  linux: z.object({ cgroupsPath: z.string() }),
});

/** Where BuildKit keeps what it gives to `runc`, a folder for each command. */
export function executionsIn(dataRoot: string): string {
  return join(dataRoot, 'buildkit', 'executor');
}

/** Why this agent cannot limit the commands of the engine; undefined if it can. */
export function reasonAgainstLimits(dataRoot: string): string | undefined {
  const folder = executionsIn(dataRoot);
  const mounts = [mountOf('memory'), mountOf('pids')].map((found) => found?.mount);
  if (mounts.includes(undefined)) return 'This machine has no control groups for memory and processes.';
  for (const path of [folder, ...mounts.flatMap((mount) => mount ?? [])])
    try {
      accessSync(path, path === folder ? constants.R_OK | constants.X_OK : constants.W_OK);
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return `The agent cannot use ${path} (${why}), and BuildKit itself takes no limits; run it as root on the machine of the Docker engine.`;
    }
  return undefined;
}

/** Those with this marker, or with an end of one. A command cannot change what it is told by. */
export function executionsOf(folder: string, marker: string): Execution[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((id) => {
    const read = readConfig(join(folder, id, 'config.json'));
    if (read === undefined || !isMarked(read.process.env, marker)) return [];
    return [{ id, groups: groupsAt(read.linux.cgroupsPath) }];
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

/** The folders of a control group, by the name that `runc` is given: a path, or `<slice>:<prefix>:<name>` where systemd makes them. */
export function groupsAt(cgroupsPath: string): string[] {
  const [slice = '', prefix = '', name] = cgroupsPath.split(':');
  const path = name === undefined ? cgroupsPath : join(pathOfSlice(slice), `${prefix}-${name}.scope`);
  const mounts = (['memory', 'pids'] as const).flatMap((controller) => mountOf(controller)?.mount ?? []);
  return [...new Set(mounts.map((mount) => join(mount, path)))];
}

/** `a-b.slice` is in `a.slice`. */
function pathOfSlice(slice: string): string {
  const parts = slice.replace(/\.slice$/, '').split('-');
  return join(...parts.map((_, index) => `${parts.slice(0, index + 1).join('-')}.slice`));
}
