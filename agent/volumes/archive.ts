import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Refusal } from '../program/refusal.ts';

/**
 * GNU tar does it, since libraries of Node lack holes of sparse files, attributes, ACLs, and names that are no text.
 */
const kept = ['--xattrs', '--acls', '--numeric-owner'];
const packing = [
  ...['--create', '--file=-', '--format=pax', '--pax-option=delete=atime,delete=ctime', '--sort=name', '--sparse'],
  ...['--one-file-system', ...kept],
];
const unpacking = ['--extract', '--file=-', '--same-permissions', '--delay-directory-restore', ...kept];
/** A name that is text stays as it is, and one that is none as well. */
const environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', LANGUAGE: '' };
const mostWarnings = 20;

/** Whether this machine has it. */
export async function gnuTar(): Promise<boolean> {
  const { stdout } = await promisify(execFile)('tar', ['--version']).catch(() => ({ stdout: '' }));
  return stdout.includes('GNU tar');
}

export interface Packing {
  /** Complete only if `ended` resolves. */
  bytes: Readable;
  /** Facts for people: files that changed while they were read, sockets that are left out. */
  ended: Promise<{ warnings: string[] }>;
}

/** The files beneath a directory, and the directory itself, as an archive. */
export function packDirectory(path: string, signal?: AbortSignal): Packing {
  const child = spawn('tar', [...packing, `--directory=${path}`, '.'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
    signal,
  });
  const ended = end(child).then(({ code, lines }) => {
    // 1: some files changed meanwhile or could not be archived as they are; the rest is whole.
    if (code > 1) throw new Refusal(lines[0] ?? `tar ended with ${code}.`);
    return { warnings: lines };
  });
  // The reader of the bytes meets it first.
  ended.catch(() => undefined);
  return { bytes: child.stdout, ended };
}

/** Puts an archive into an empty directory, which then has owner and mode of the one that was packed. No device is left in it. */
export async function unpackInto(path: string, archive: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void> {
  const child = spawn('tar', [...unpacking, `--directory=${path}`], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: environment,
    signal,
  });
  let over: Ended | undefined;
  const ended = end(child).then((told) => {
    over = told;
  });
  ended.catch(() => undefined);
  // tar that ends early closes its input, and knows why.
  child.stdin.on('error', () => undefined);
  try {
    for await (const piece of archive) {
      if (over !== undefined && over.code !== 0) break;
      // To its end: whoever counts what comes is not done before.
      if (over !== undefined || child.stdin.write(piece)) continue;
      await Promise.race([once(child.stdin, 'drain').catch(() => undefined), ended]);
    }
  } finally {
    child.stdin.end();
  }
  await ended;
  if (over?.code !== 0) throw new Refusal(over?.lines[0] ?? `tar ended with ${over?.code}.`);
  await promisify(execFile)('find', [path, '-xdev', '(', '-type', 'b', '-o', '-type', 'c', ')', '-delete']);
}

interface Ended {
  code: number;
  lines: string[];
}

async function end(child: ChildProcess): Promise<Ended> {
  let text = '';
  child.stderr?.on('data', (piece: Buffer) => {
    if (text.length < 16_384) text += piece.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === null) throw new Refusal(`tar was ended by ${signal}.`);
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !line.includes('Exiting with failure status'))
    .map((line) => line.replace(/^tar: /, '').slice(0, 300));
  return { code, lines: lines.slice(0, mostWarnings) };
}
