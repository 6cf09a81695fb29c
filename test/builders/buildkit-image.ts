import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { builderImage } from '../../agent/builders/build-settings.ts';
import { lock } from '../../runtime/home/lock.ts';
import { compareVersions } from '../../runtime/supervisor/versions.ts';
import { notRun } from '../run/not-run.ts';
import { patient } from '../run/patience.ts';
import { importBase } from './base-image.ts';

const source = join(import.meta.dirname, 'buildkit');
const buildkitd = 'github.com/moby/buildkit/cmd/buildkitd';
const runc = '/usr/sbin/runc';
const bare = ['-trimpath', '-gcflags', 'all=-dwarf=false', '-ldflags', '-s -w'];
const local = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
const loaded = new Set<string>();
/** For what loads it first: Go takes six minutes of processor time. */
export const buildkitMillis = patient(1_500_000);

/** Whether an image with BuildKit can be made here: says what is missing, once. */
export function buildkitCanBeMade(): boolean {
  if (goOf() !== undefined && existsSync(runc)) return true;
  notRun('BuildKit', `install Go ${wanted()} in /usr/local/go, and runc`, 'runc');
  return false;
}

/**
 * Puts the image of builders into an engine, once: no registry of images is reached by tests. BuildKit is built from the pinned
 * versions of `buildkit/go.mod`, which takes minutes, and is kept from run to run.
 */
export async function loadBuildkit(socket: string): Promise<void> {
  if (loaded.has(socket)) return;
  const programs = {
    'usr/bin/buildkitd': await program(),
    'usr/bin/buildkit-runc': runc,
    'usr/bin/mount': '/usr/bin/mount',
  };
  await importBase(socket, builderImage, { programs });
  loaded.add(socket);
}

async function program(): Promise<string> {
  const pinned = readFileSync(join(source, 'go.mod'), 'utf8');
  const version = /moby\/buildkit (v\S+)/.exec(pinned)?.[1];
  if (version === undefined || !builderImage.endsWith(`:${version}`))
    throw new Error(`test/builders/buildkit/go.mod has BuildKit ${version}, and agents use ${builderImage}.`);
  const made = createHash('sha256').update(pinned).digest('hex').slice(0, 12);
  const folder = process.env.TEST_CACHE ?? tmpdir();
  const path = join(folder, `ballast-buildkitd-${made}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const held = await lock(`${path}.lock`, () => {});
  try {
    if (existsSync(path)) return path;
    const draft = `${path}.${process.pid}`;
    const env = { ...process.env, ...local };
    await promisify(execFile)(goOf() ?? 'go', ['build', ...bare, '-o', draft, buildkitd], { cwd: source, env });
    renameSync(draft, path);
  } finally {
    held.release();
  }
  return path;
}

/** Of the first line of its kind in go.mod. */
function wanted(): string {
  return /^go (\S+)$/m.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? '';
}

/** A Go that is new enough. */
function goOf(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'];
  const all = folders.map((folder) => join(folder, 'go')).filter(existsSync);
  return all.find((go) => {
    const version = execFileSync(go, ['env', 'GOVERSION'], { encoding: 'utf8', env: { ...process.env, ...local } });
    return compareVersions(version.trim().replace(/^go/, ''), wanted()) >= 0;
  });
}
