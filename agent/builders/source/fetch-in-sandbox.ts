import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildBody } from '../../../protocol/build.ts';
import { programOfMachine } from '../../drivers/process/launch/command-of.ts';
import { Refusal } from '../../program/refusal.ts';
import type { BuildLog } from '../build-log.ts';
import type { BuildNetwork } from '../build-settings.ts';
import { runSandboxed, type Sandbox } from '../sandbox/sandbox.ts';
import { CommandFailed } from '../step-failed.ts';
import { checkTree } from './disk-tree.ts';
import { type CommitToFetch, gitEnvironment } from './fetch-source.ts';
import { repositoryFault, untrustedHost } from './repository-fault.ts';

const mostFiles = 200_000;
/** As of an upload; the history of a commit and its files count together. */
const mostBytesOfCommit = 2 ** 31;
/** Of a host that prepares a pack, and says nothing meanwhile. */
const longestStall = 120;
const mostSaid = 8_000;
/** Whom the machine trusts, and the authorities that its owner has added for builds. */
const trusting = `for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt "$BALLAST_GIT_AUTHORITIES"; do
  [ ! -f "$file" ] || cat "$file"
done >/tmp/authorities.pem
export GIT_SSL_CAINFO=/tmp/authorities.pem`;
const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

export interface Fetching {
  sandbox: Sandbox;
  environment: Readonly<Record<string, string>>;
  mounts: readonly { at: string; directory: string }[];
  /** Of the build. */
  limits: BuildBody['limits'];
  log: BuildLog;
  signal: AbortSignal;
  network: BuildNetwork;
  /** How many are left to the build. */
  seconds(): number;
  /** Told the first line of the commit's message, once it is there. */
  message(text: string): void;
}

/**
 * Has the files of a commit in the directory, fetched by the machine's git within the sandbox, whoever builds: its proxy is the
 * only way out, also for redirects and submodules. The credential is in the environment of the first of two runs and nowhere else.
 */
export async function fetchInSandbox(source: CommitToFetch, directory: string, given: Fetching) {
  const { sandbox, environment: ofMachine, mounts, log, network, signal, seconds } = given;
  const { url, ref, commit } = source;
  log.say(`${commit} of ${ref} of ${url}`);
  if (programOfMachine('git') === undefined)
    throw new Refusal('Git is missing on the machine of the cluster: install git there, then retry the build.');
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const limits = { bytes: Math.min(given.limits.diskBytes, mostBytesOfCommit), files: mostFiles };
  const trust = ofMachine.NODE_EXTRA_CA_CERTS;
  const place = {
    ...{ BALLAST_GIT_URL: url, BALLAST_GIT_COMMIT: commit, BALLAST_GIT_REF: ref },
    ...(trust !== undefined && { BALLAST_GIT_AUTHORITIES: trust }),
  };
  const stalledSeconds = Math.min(longestStall, Math.ceil(seconds() / 4));
  const git = async (name: string, environment: Readonly<Record<string, string>>) => {
    let said = '';
    const hear = (text: string) => {
      said = `${said}${text}`.slice(-mostSaid);
    };
    const before = network.failures;
    const end = await runSandboxed(sandbox, {
      command: trust === undefined ? script(name) : `${trusting}\n${script(name)}`,
      ...{ directory, workdir: '', caches: [], tools: mounts },
      environment: { ...environment, ...place },
      limits: { ...given.limits, diskBytes: limits.bytes, seconds: seconds() },
      output: (stream, bytes) => {
        log.write(stream, bytes);
        hear(bytes.toString());
      },
      proxied: (proxy) => network.follow(proxy),
      signal,
    });
    signal.throwIfAborted();
    // Git says only that it did not get something.
    for (const line of network.failuresSince(before)) hear(`\n${line}\n`);
    if (end.ended === 'exited' && end.code === 0) return;
    throw (
      (await untrustedHost(said, sandbox.outbound)) ??
      repositoryFault(source, end, said, limits) ??
      new CommandFailed('git', end)
    );
  };
  await git('fetch-commit.sh', gitEnvironment(source, stalledSeconds, true));
  // Nothing of the commit was run or written out by then.
  given.message(readFileSync(join(directory, '.git', 'ballast-message'), 'utf8').trim());
  await git('check-out.sh', {
    ...gitEnvironment(source, stalledSeconds, false),
    BALLAST_GIT_FILES: String(limits.files + 1),
    BALLAST_GIT_BYTES: String(limits.bytes),
  });
  return checkTree(directory, limits);
}
