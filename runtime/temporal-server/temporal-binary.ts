import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cacheDirectory, cached } from '../home/cache.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { OutOfTime, run } from '../supervisor/run.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import type { DownloadLimits } from './download.ts';
import { isExecutable } from './executable.ts';
import type { PinnedArchives } from './pinned-archives.ts';
import { buildTemporal, findGo } from './temporal-build.ts';

export interface TemporalBinaries {
  server: string;
  sqlTool: string;
}

interface Finding {
  /** TEMPORAL_SERVER: used or refused, never passed over. */
  explicit: string | undefined;
  /** TEMPORAL_ARCHIVE: likewise. */
  archive?: string | undefined;
  /** The present step, repeated as it advances. */
  progress: (text: string) => void;
  /** A line that people should read, once. */
  note?: (line: string) => void;
  buildLog: string;
  /** Where PATH, HOME, the cache and proxies are looked up. */
  env?: NodeJS.ProcessEnv;
  /** Where Go is looked for besides the PATH. */
  goDirectories?: readonly string[];
  limits?: Partial<DownloadLimits> & { versionMilliseconds?: number };
  /** Digests of official archives, other than those that this version knows. */
  pinned?: PinnedArchives;
}

const names = { server: 'temporal-server', sqlTool: 'temporal-sql-tool' };

/** A machine at its limit takes long to start a program of 100 MB; none that works takes longer than this. */
const versionPatience = 60_000;

/**
 * A Temporal server of our version: the one that was named, one on the PATH, one from the cache, the official release, or
 * one that is built now. Without any of them a refusal says within seconds what helps.
 */
export async function findTemporal(finding: Finding): Promise<TemporalBinaries> {
  const { explicit, env = process.env } = finding;
  const progress = changesOnly(finding.progress);
  if (explicit !== undefined) return named(explicit, finding);
  const onPath = await searchPath(env, finding);
  if (onPath) return onPath;
  const directory = await cached({
    cache: cacheDirectory(env),
    name: `temporal-server-${temporalVersion}-${process.platform}-${process.arch}`,
    fill: (draft) => obtain(draft, { ...finding, progress }),
    onWait: () => progress('waiting for another start that is getting the Temporal server'),
  });
  return { server: join(directory, names.server), sqlTool: join(directory, names.sqlTool) };
}

/** Bytes come in thousands of pieces, and most change nothing in the displayed text. */
function changesOnly(progress: (text: string) => void): (text: string) => void {
  let last = '';
  return (text) => {
    if (text !== last) progress(text);
    last = text;
  };
}

async function obtain(into: string, finding: Finding): Promise<void> {
  const { archive, env = process.env, progress, note = progress, buildLog, limits, goDirectories, pinned } = finding;
  // Only who has no server yet needs a client of HTTP and an unpacker, which would stay in the supervisor: 8 MB.
  const { ArchiveFailure, fetchTemporal } = await import('./temporal-archive.ts');
  const { DownloadFailure } = await import('./download.ts');
  let reason: string;
  try {
    await fetchTemporal({
      ...{ archive, into, names, progress, env },
      ...(limits ? { limits } : {}),
      ...(pinned ? { pinned } : {}),
    });
    const version = await versionOf(join(into, names.server), finding);
    if (version === temporalVersion) return;
    throw new ArchiveFailure(`it contains version ${version ?? 'unknown'}`);
  } catch (error) {
    if (!(error instanceof ArchiveFailure || error instanceof DownloadFailure)) throw error;
    reason = error.message;
  }
  if (archive !== undefined) {
    throw new Refusal(
      `TEMPORAL_ARCHIVE is ${archive}, and it cannot be used: ${reason}; correct it, or unset it to use the official release.`,
    );
  }
  const go = await findGo({ env, release: reason, ...(goDirectories ? { goDirectories } : {}) });
  note(`The release of Temporal ${temporalVersion} cannot be used (${reason}); it is built from source with Go.`);
  await buildTemporal({ go, into, names, progress, log: buildLog, env });
}

async function named(server: string, finding: Finding): Promise<TemporalBinaries> {
  const sqlTool = join(dirname(server), names.sqlTool);
  for (const file of [server, sqlTool]) {
    if (!isExecutable(file)) {
      const wrong = existsSync(file) ? 'is not a program' : 'is not there';
      throw new Refusal(
        `TEMPORAL_SERVER is ${server}, but ${file} ${wrong}; correct it, or unset it to use the official release.`,
      );
    }
  }
  const version = await versionOf(server, finding);
  if (version === temporalVersion) return { server, sqlTool };
  throw new Refusal(
    `TEMPORAL_SERVER is ${server}, version ${version ?? 'unknown'}, and ${temporalVersion} is needed; unset it to use the official release.`,
  );
}

async function searchPath(env: NodeJS.ProcessEnv, finding: Finding): Promise<TemporalBinaries | undefined> {
  for (const directory of (env.PATH ?? '').split(delimiter).filter((entry) => entry.startsWith('/'))) {
    const found = { server: join(directory, names.server), sqlTool: join(directory, names.sqlTool) };
    if (!isExecutable(found.server) || !isExecutable(found.sqlTool)) continue;
    if ((await versionOf(found.server, finding)) === temporalVersion) return found;
  }
  return undefined;
}

/** Undefined if it says something else, or ends badly. A machine that is too busy to answer is no reason to refuse a server. */
async function versionOf(server: string, { limits }: Finding): Promise<string | undefined> {
  const timeoutMilliseconds = limits?.versionMilliseconds ?? versionPatience;
  try {
    const printed = await run(`${server} --version`, server, ['--version'], { timeoutMilliseconds });
    return /\b(\d+\.\d+\.\d+)\b/.exec(printed)?.[1];
  } catch (error) {
    if (error instanceof OutOfTime) throw error;
    return undefined;
  }
}
