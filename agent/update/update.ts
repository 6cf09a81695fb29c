import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBody } from '../../protocol/command.ts';
import type { Run, RunResult } from '../commands/run.ts';
import type { TrustFile } from '../home/trust.ts';
import type { Client } from '../link/client.ts';
import { Refusal } from '../program/refusal.ts';
import { download, shortDigest, unpackBundle } from './download.ts';
import type { Releases } from './releases.ts';

export interface UpdateOptions {
  releases: Releases;
  client: Client;
  trust: TrustFile;
  /** The release this agent runs from; nothing if it was not started by a launcher. */
  running: string | undefined;
  /** Ends this agent so that the launcher starts the next release. */
  switchOver(): void;
}

/**
 * Gets a release that the pinned key has signed, looks whether it runs here at all, and hands over to the launcher. One
 * that is on disk was verified when it came. Interrupted before that it is taken
 * up again, since nothing has changed; after that the state on disk says how it went.
 */
export async function update(
  body: Extract<CommandBody, { kind: 'update' }>,
  run: Run,
  { releases, client, trust, running, switchOver }: UpdateOptions,
): Promise<RunResult | 'left open'> {
  const release = shortDigest(body.digest);
  const state = releases.read();
  if (state === undefined || running === undefined) {
    throw new Refusal(
      'This agent was not started by its launcher and cannot be updated; install it with the install command.',
    );
  }
  if (state.current === release && state.next === undefined) return { outcome: 'done', exitCode: 0 };
  if (state.returned?.command === run.id) return { outcome: 'failed', message: state.returned.reason };
  if (run.starts > 3)
    return { outcome: 'failed', message: 'The update was interrupted 3 times; the agent was not changed.' };
  const directory = releases.path(release);
  if (digestIn(directory) !== body.digest) {
    trust.admit(body.proof, body.digest);
    run.output('progress', Buffer.from(`Downloading ${body.image}.\n`));
    const draft = `${directory}.part`;
    await download(client, body, draft, run.signal);
    await unpackBundle(draft, directory, body.digest);
    rmSync(draft, { force: true });
  }
  run.output('progress', Buffer.from(`Checking that ${body.image} runs here.\n`));
  await smoke(join(directory, 'ballast'), run.signal);
  run.signal.throwIfAborted();
  run.output('progress', Buffer.from(`Switching to ${body.image}.\n`));
  releases.write({
    current: state.current,
    ...(state.previous === undefined ? {} : { previous: state.previous }),
    next: { release, seconds: body.confirmSeconds, command: run.id, tries: 0 },
  });
  switchOver();
  return 'left open';
}

/** Of a release that was unpacked as a whole. The name of its directory has only the first digits. */
function digestIn(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'digest'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function smoke(program: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: 10_000,
      killSignal: 'SIGKILL' as const,
      signal,
      env: { PATH: process.env.PATH, BALLAST_NODE: process.execPath },
    };
    execFile(program, ['--version'], options, (error, _out, errors) => {
      if (error === null) resolve();
      else if (signal.aborted) reject(error);
      else
        reject(
          new Refusal(`The new release does not run on this machine: ${errors.slice(0, 500).trim() || error.message}`),
        );
    });
  });
}
