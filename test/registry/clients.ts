import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { notRun } from '../run/not-run.ts';

/** Programs that are built once for all runs, in the versions that the tests were written for. */
const modules = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@v0.20.6',
  oras: 'oras.land/oras/cmd/oras@v1.2.3',
  /** The conformance suite of the distribution specification. */
  conformance: 'github.com/opencontainers/distribution-spec/conformance@v0.0.0-20260831232431-97274622c111',
  /** A server of S3 in front of a directory, which checks signatures, digests and ranges. */
  versitygw: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
} as const;
const groups: Readonly<Record<string, string>> = { versitygw: 's3' };
/** The suite of before, which clients still certify with: tests of Go, no program that `go install` knows. */
const earlierSuite = { tag: 'v1.1.1', from: 'https://github.com/opencontainers/distribution-spec' };
const built = join(homedir(), '.cache', 'ballast', 'clients');

/** A program as it is, built if need be, or undefined: says once what is missing. */
export function clientProgram(name: 'skopeo' | keyof typeof modules): string | undefined {
  const found = findProgram(name);
  if (found !== undefined) return found;
  if (name !== 'skopeo' && findProgram('go') !== undefined) {
    mkdirSync(built, { recursive: true });
    const env = { ...process.env, GOBIN: built, GOFLAGS: '-mod=mod' };
    if (spawnSync('go', ['install', modules[name]], { env, cwd: built }).status === 0) return join(built, name);
  }
  const group = groups[name] ?? `registry with ${name}`;
  if (name === 'skopeo') notRun(group, 'install skopeo', 'skopeo');
  else notRun(group, `install Go, or ${name} in the PATH`, 'golang-go');
  return undefined;
}

/** The conformance suite of the release 1.1.1, compiled from its source once for all runs. */
export function earlierConformance(): string | undefined {
  const name = `conformance-${earlierSuite.tag}`;
  const found = findProgram(name);
  if (found !== undefined) return found;
  if (findProgram('go') !== undefined && findProgram('git') !== undefined) {
    const source = join(built, `${name}.source`);
    mkdirSync(built, { recursive: true });
    rmSync(source, { recursive: true, force: true });
    const cloned = spawnSync('git', [
      'clone',
      '-q',
      '--depth=1',
      `--branch=${earlierSuite.tag}`,
      earlierSuite.from,
      source,
    ]);
    const place = join(source, 'conformance');
    if (
      cloned.status === 0 &&
      spawnSync('go', ['test', '-c', '-o', join(built, name), '.'], { cwd: place }).status === 0
    )
      return join(built, name);
  }
  notRun(`registry with ${name}`, `install Go and git, with a way to github.com, or ${name} in the PATH`, 'golang-go');
  return undefined;
}

/** Runs a program to its end; a failure has all that it wrote. */
export async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trim();
}

function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), built];
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
