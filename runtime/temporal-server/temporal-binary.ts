import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cacheDirectory, cached } from '../home/cache.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { run } from '../supervisor/run.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { buildTemporal } from './temporal-build.ts';

export interface TemporalBinaries {
  server: string;
  sqlTool: string;
}

interface Finding {
  /** TEMPORAL_SERVER: used or refused, never passed over. */
  explicit: string | undefined;
  progress: (text: string) => void;
  buildLog: string;
}

const names = { server: 'temporal-server', sqlTool: 'temporal-sql-tool' };

/** A Temporal server of our version: the one that was named, one on the PATH, one built before, or one built now. */
export async function findTemporal({ explicit, progress, buildLog }: Finding): Promise<TemporalBinaries> {
  if (explicit !== undefined) return named(explicit);
  const onPath = await searchPath();
  if (onPath) return onPath;
  const directory = await cached({
    cache: cacheDirectory(),
    name: `temporal-server-${temporalVersion}-${process.platform}-${process.arch}`,
    fill: (draft) => buildTemporal({ into: draft, names, progress, log: buildLog }),
    onWait: () => progress('waiting for another build of the Temporal server'),
  });
  return { server: join(directory, names.server), sqlTool: join(directory, names.sqlTool) };
}

async function named(server: string): Promise<TemporalBinaries> {
  const sqlTool = join(dirname(server), names.sqlTool);
  for (const file of [server, sqlTool]) {
    if (!isExecutable(file)) {
      throw new Refusal(
        `TEMPORAL_SERVER is ${server}, but ${file} is no program; correct it, or unset it to have one built.`,
      );
    }
  }
  const version = await versionOf(server);
  if (version === temporalVersion) return { server, sqlTool };
  throw new Refusal(
    `TEMPORAL_SERVER is ${server}, version ${version ?? 'unknown'}, and ${temporalVersion} is needed; unset it to have one built.`,
  );
}

async function searchPath(): Promise<TemporalBinaries | undefined> {
  for (const directory of (process.env.PATH ?? '').split(delimiter).filter((entry) => entry.startsWith('/'))) {
    const found = { server: join(directory, names.server), sqlTool: join(directory, names.sqlTool) };
    if (!isExecutable(found.server) || !isExecutable(found.sqlTool)) continue;
    if ((await versionOf(found.server)) === temporalVersion) return found;
  }
  return undefined;
}

async function versionOf(server: string): Promise<string | undefined> {
  const printed = await run('Asking for the version', server, ['--version'], { timeoutMilliseconds: 10_000 }).catch(
    () => '',
  );
  return /\b(\d+\.\d+\.\d+)\b/.exec(printed)?.[1];
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
