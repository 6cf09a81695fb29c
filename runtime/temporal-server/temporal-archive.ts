import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { temporalVersion } from '../supervisor/versions.ts';
import { DownloadFailure, type DownloadLimits, downloadFile, downloadText } from './download.ts';
import { type PinnedArchives, pinnedArchives } from './pinned-archives.ts';
import { tellShare } from './share.ts';

/** Why an archive will not do: half a sentence. */
export class ArchiveFailure extends Error {
  override readonly name = 'ArchiveFailure';
}

interface Fetching {
  /** TEMPORAL_ARCHIVE: another address, or a file. The official release without it. */
  archive: string | undefined;
  names: { server: string; sqlTool: string };
  into: string;
  progress: (text: string) => void;
  env: NodeJS.ProcessEnv;
  limits?: Partial<DownloadLimits>;
  pinned?: PinnedArchives;
}

const usualLimits: DownloadLimits = {
  bytes: 512 * 1024 * 1024,
  idleMilliseconds: 20_000,
  totalMilliseconds: 1_800_000,
};
const checksumsLimits = { bytes: 64 * 1024, totalMilliseconds: 30_000 };
const mostUnpackedBytes = 1024 * 1024 * 1024;

/** The release of our version for this machine, as Temporal's release tool names it. */
export function officialArchive(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const file = `temporal_${temporalVersion}_${process.platform}_${architecture}.tar.gz`;
  return `https://github.com/temporalio/temporal/releases/download/v${temporalVersion}/${file}`;
}

/** Puts the server and its tool out of a release archive into a directory, once the archive's digest is the right one. */
export async function fetchTemporal(fetching: Fetching): Promise<void> {
  const { archive = officialArchive(), into, names } = fetching;
  const kept = join(into, 'archive.tar.gz');
  const isFile = archive.startsWith('/');
  const [file = '', ownPin] = isFile ? archive.split(/#sha256=(?=[0-9a-f]{64}$)/) : [];
  if (isFile) await checkFile(file, ownPin);
  else await download(new URL(archive), kept, fetching);
  fetching.progress('unpacking the Temporal server');
  try {
    await unpack(isFile ? file : kept, into, Object.values(names));
  } finally {
    rmSync(kept, { force: true });
  }
}

/** An address that brings a digest of its own is held to it, an archive that is known here to ours, any other to its host's. */
async function download(address: URL, kept: string, fetching: Fetching): Promise<void> {
  const { progress, env, limits, pinned = pinnedArchives } = fetching;
  const own = /^#sha256=([0-9a-f]{64})$/.exec(address.hash)?.[1];
  if (address.hash !== '' && own === undefined) {
    throw new ArchiveFailure('what follows # is not sha256= and 64 hexadecimal digits');
  }
  const url = new URL(address);
  url.hash = '';
  const name = basename(url.pathname);
  progress(`looking for the Temporal server at ${url.host}`);
  const all = { ...usualLimits, ...limits };
  const known = own === undefined ? pinned[temporalVersion]?.[name] : undefined;
  const expected =
    own ??
    known ??
    checksumOf(
      name,
      await downloadText({ url: new URL('checksums.txt', url), env, limits: { ...all, ...checksumsLimits } }),
      `checksums.txt of ${url.host}`,
    );
  const began = Date.now();
  const digest = await downloadFile({
    url,
    env,
    limits: all,
    into: kept,
    onBytes: (done, total) => {
      const megabytes = `${Math.ceil((total ?? done) / 1e6)} MB`;
      const share = total && tellShare({ done, total, sinceMilliseconds: Date.now() - began });
      progress(`downloading the Temporal server, ${share ? `${share} (${megabytes})` : megabytes}`);
    },
  });
  if (digest === expected) return;
  throw new ArchiveFailure(
    known === undefined
      ? `${name} of ${url.host} does not have the checksum that was published`
      : `${name} of ${url.host} is not the archive of ${temporalVersion} that is known here`,
  );
}

/** Somebody put it there on purpose; a digest with it, or checksums that lie beside it, are believed all the same. */
async function checkFile(archive: string, pin: string | undefined): Promise<void> {
  if (!existsSync(archive) || !statSync(archive).isFile()) throw new ArchiveFailure('there is no such file');
  const beside = join(dirname(archive), 'checksums.txt');
  if (pin === undefined && !existsSync(beside)) return;
  const expected = pin ?? checksumOf(basename(archive), readFileSync(beside, 'utf8'), beside);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  if (hash.digest('hex') === expected) return;
  throw new ArchiveFailure(`it does not have the checksum ${pin === undefined ? `of ${beside}` : 'that was set'}`);
}

/** One line a file: the SHA-256, two spaces (or a space and a star), the name. */
function checksumOf(name: string, checksums: string, where: string): string {
  for (const line of checksums.split('\n')) {
    const [, digest, file] = /^([0-9a-f]{64}) [ *](\S+)\s*$/.exec(line) ?? [];
    if (digest !== undefined && file === name) return digest;
  }
  throw new ArchiveFailure(`${where} has no line for ${name}`);
}

/** Paths in the archive decide nothing: two names are taken, and written where they belong. */
async function unpack(archive: string, into: string, names: readonly string[]): Promise<void> {
  const missing = new Set(names);
  const reader = extract();
  const read = async (): Promise<void> => {
    let unpacked = 0;
    for await (const entry of reader) {
      const name = basename(entry.header.name);
      if (entry.header.type !== 'file' || !missing.delete(name)) {
        entry.resume();
        continue;
      }
      unpacked += entry.header.size ?? 0;
      if (unpacked > mostUnpackedBytes) throw new ArchiveFailure('its programs are larger than a gigabyte');
      await pipeline(entry as AsyncIterable<Buffer>, createWriteStream(join(into, name), { flags: 'wx', mode: 0o755 }));
    }
  };
  try {
    const reading = read();
    // Told by `reading` below, with the reason of whichever broke off first.
    await Promise.all([pipeline(createReadStream(archive), createGunzip(), reader), reading]);
  } catch (error) {
    if (error instanceof ArchiveFailure || error instanceof DownloadFailure) throw error;
    throw new ArchiveFailure('it is damaged');
  }
  const [absent] = missing;
  if (absent !== undefined) throw new ArchiveFailure(`there is no ${absent} in it`);
}
