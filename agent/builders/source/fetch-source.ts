import type { BuildBody } from '../../../protocol/build.ts';
import { pause, SpreadBackOff } from '../../link/back-off.ts';
import type { Client } from '../../link/client.ts';
import { isAway, LinkFailure } from '../../link/link-failure.ts';
import { Refusal } from '../../program/refusal.ts';
import { type SourceLimits, unpackSource } from './unpack-source.ts';

const mostFailures = 8;

/**
 * Has the source of a build in the directory. What breaks on the way is fetched again, from the beginning. A control plane that is away is
 * waited for as long as the build has time.
 */
export async function fetchSource(
  client: Pick<Client, 'source'>,
  id: string,
  directory: string,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  const backOff = new SpreadBackOff();
  for (let failures = 0; ; ) {
    try {
      return await unpackSource(await client.source(id, signal), directory, limits, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAway(error)) failures += 1;
      if (failures === mostFailures || !mayPass(error)) throw error;
      await pause(backOff.next(error instanceof LinkFailure ? error.retryAfterMillis : undefined), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return false;
  if (error instanceof LinkFailure) return error.kind === 'unreachable';
  // Of the disk: there is no space, say.
  return !(error instanceof Error && 'syscall' in error && 'path' in error);
}

/** A commit of a repository, with the credential that reads it. */
export type CommitToFetch = Extract<BuildBody['source'], { kind: 'git' }>;

/** By `git credential`: for this scheme and host alone, so that no redirect and no submodule elsewhere gets it. */
const helper = `!f() { [ "$1" != get ] || printf 'username=%s\\npassword=%s\\n' "$BALLAST_GIT_USERNAME" "$BALLAST_GIT_PASSWORD"; }; f`;

/**
 * Variables by which git reads no configuration but this, runs no hook, asks nobody, and speaks https alone; plain http where
 * the repository itself was given so, which the control plane allows to named addresses only.
 */
export function gitEnvironment(
  source: CommitToFetch,
  /** A host that sends nothing for so long is given up. */
  stalledSeconds: number,
  withCredential: boolean,
): Record<string, string> {
  const { origin, protocol } = new URL(source.url);
  const isSigned = withCredential && source.password !== '';
  const configured: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.autocrlf', 'false'],
    ['gc.auto', '0'],
    // A pack stays one file, however many objects it has.
    ['fetch.unpackLimit', '1'],
    ['http.lowSpeedLimit', '100'],
    ['http.lowSpeedTime', String(stalledSeconds)],
    ['maintenance.auto', 'false'],
    ['advice.detachedHead', 'false'],
    ['init.defaultBranch', 'main'],
    ['protocol.allow', 'never'],
    ['protocol.https.allow', 'always'],
    ...(protocol === 'http:' ? [['protocol.http.allow', 'always'] as [string, string]] : []),
    ...(isSigned ? [[`credential.${origin}.helper`, helper] as [string, string]] : []),
  ];
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TEMPLATE_DIR: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_CONFIG_COUNT: String(configured.length),
    ...Object.fromEntries(
      configured.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(isSigned ? { BALLAST_GIT_USERNAME: source.username, BALLAST_GIT_PASSWORD: source.password } : {}),
  };
}
