import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

export interface Archive {
  file: string;
  remove(): Promise<void>;
}

/** An archive of a tag of the Docker engine here, as `docker save` writes it. */
export async function dockerArchive(tag: string, signal?: AbortSignal): Promise<Archive> {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-docker-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'image.tar');
  try {
    const { code, said } = await docker(['image', 'save', '--output', file, '--', tag], signal);
    signal?.throwIfAborted();
    if (code === 0) return { file, remove };
    throw new UsageError(refusal(tag, code, said));
  } catch (error) {
    await remove();
    throw error;
  }
}

function refusal(tag: string, code: number | undefined, said: string): string {
  const name = printable(tag);
  if (code === undefined) {
    return `"${name}" is no path and names no registry, and there is no docker in the PATH to ask for a tag; see --help for what can be deployed.`;
  }
  const why = printable(said.trim().split('\n').at(-1) ?? '').replace(/[.?]$/, '');
  return `Docker has not saved "${name}": ${why}. \`docker images\` lists the tags; an image of a registry is named with its host, as in docker.io/library/nginx:1.27.`;
}

/** The exit code is undefined if there is no such program. */
function docker(words: string[], signal?: AbortSignal): Promise<{ code: number | undefined; said: string }> {
  const child = spawn('docker', words, { stdio: ['ignore', 'ignore', 'pipe'], ...(signal && { signal }) });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: undefined, said }));
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  });
}
