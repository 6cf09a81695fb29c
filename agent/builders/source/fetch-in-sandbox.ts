import type { BuildBody } from '../../../protocol/build.ts';
import type { BuildLog } from '../build-log.ts';
import type { BuildNetwork } from '../build-settings.ts';
import { runSandboxed, type Sandbox } from '../sandbox/sandbox.ts';
import { fetchCommit, type RunGit } from './fetch-commit.ts';
import type { CommitToFetch } from './fetch-source.ts';

const mostFiles = 200_000;
/** As of an upload; the history of a commit and its files count together. */
const mostBytesOfCommit = 2 ** 31;
/** Of a host that prepares a pack, and says nothing meanwhile. */
const longestStall = 120;
/** Whom the machine trusts, and the authorities that its owner has added for builds. */
const trusting = `for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt "$BALLAST_GIT_AUTHORITIES"; do
  [ ! -f "$file" ] || cat "$file"
done >/tmp/authorities.pem
export GIT_SSL_CAINFO=/tmp/authorities.pem`;

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
  /** Told the first line of the commit's message. */
  message(text: string): void;
}

/** Has the files of a commit in the directory. Git runs in the sandbox, whoever builds. */
export async function fetchInSandbox(source: CommitToFetch, directory: string, given: Fetching) {
  const { sandbox, environment: ofMachine, mounts, log, network, signal, seconds } = given;
  const { url, ref, commit } = source;
  log.say(`${commit} of ${ref} of ${url}`);
  const limits = { bytes: Math.min(given.limits.diskBytes, mostBytesOfCommit), files: mostFiles };
  const run: RunGit = async (command, environment, diskBytes, said) => {
    const trust = ofMachine.NODE_EXTRA_CA_CERTS;
    const before = network.failures;
    const end = await runSandboxed(sandbox, {
      command: trust === undefined ? command : `${trusting}\n${command}`,
      ...{ directory, workdir: '', caches: [], tools: mounts },
      environment: { ...environment, ...(trust === undefined ? {} : { BALLAST_GIT_AUTHORITIES: trust }) },
      limits: { ...given.limits, diskBytes, seconds: seconds() },
      output: (stream, bytes) => {
        log.write(stream, bytes);
        said(bytes.toString());
      },
      proxied: (proxy) => network.follow(proxy),
      signal,
    });
    signal.throwIfAborted();
    // Git says only that it did not get something.
    for (const line of network.failuresSince(before)) said(`\n${line}\n`);
    return end;
  };
  return await fetchCommit(source, directory, limits, {
    ...{ run, rules: sandbox.outbound, message: given.message },
    stalledSeconds: Math.min(longestStall, Math.ceil(seconds() / 4)),
  });
}
