import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { programOfMachine } from '../../drivers/process/launch/command-of.ts';
import { Refusal } from '../../program/refusal.ts';
import type { SandboxEnd } from '../sandbox/sandbox.ts';
import { CommandFailed } from '../step-failed.ts';
import { checkTree } from './disk-tree.ts';
import type { CommitToFetch } from './fetch-source.ts';
import { gitEnvironment } from './fetch-source.ts';
import { repositoryFault } from './repository-fault.ts';
import type { SourceLimits } from './unpack-source.ts';
import { untrustedHost } from './untrusted-host.ts';

const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const mostSaid = 8_000;

/** Runs a command in the sandbox of the build, beneath the given folder. What it says goes to the log, and to `said`. */
export type RunGit = (
  command: string,
  environment: Readonly<Record<string, string>>,
  diskBytes: number,
  said: (text: string) => void,
) => Promise<SandboxEnd>;

interface FetchGround {
  run: RunGit;
  /** Those of builds, by which a certificate is looked at that git refused. */
  rules: OutboundRules;
  /** A host that sends nothing for so long is given up. */
  stalledSeconds: number;
  /** Told the first line of the commit's message, once it is there. */
  message(text: string): void;
}

/**
 * Has the files of a commit in the directory, fetched by the machine's git within the sandbox: its proxy is the only way out,
 * also for redirects and submodules. The credential is in the environment of the first of two runs and nowhere else.
 */
export async function fetchCommit(
  source: CommitToFetch,
  directory: string,
  limits: SourceLimits,
  ground: FetchGround,
): Promise<{ files: number; bytes: number }> {
  if (programOfMachine('git') === undefined)
    throw new Refusal('Git is missing on the machine of the cluster: install git there, then retry the build.');
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const place = { BALLAST_GIT_URL: source.url, BALLAST_GIT_COMMIT: source.commit, BALLAST_GIT_REF: source.ref };
  const git = async (name: string, environment: Readonly<Record<string, string>>) => {
    let said = '';
    const end = await ground.run(script(name), { ...environment, ...place }, limits.bytes, (text) => {
      said = `${said}${text}`.slice(-mostSaid);
    });
    if (end.ended === 'exited' && end.code === 0) return;
    throw (
      (await untrustedHost(said, ground.rules)) ??
      repositoryFault(source, end, said, limits) ??
      new CommandFailed('git', end)
    );
  };
  await git('fetch-commit.sh', gitEnvironment(source, ground.stalledSeconds, true));
  // Nothing of the commit was run or written out by then.
  ground.message(readFileSync(join(directory, '.git', 'ballast-message'), 'utf8').trim());
  await git('check-out.sh', {
    ...gitEnvironment(source, ground.stalledSeconds, false),
    BALLAST_GIT_FILES: String(limits.files + 1),
    BALLAST_GIT_BYTES: String(limits.bytes),
  });
  return checkTree(directory, limits);
}
