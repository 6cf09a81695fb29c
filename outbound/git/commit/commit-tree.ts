import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';

import { OutboundFailed } from '../../failures.ts';
import { openProxy } from '../../proxy.ts';
import type { GitAddress } from '../address.ts';
import type { GitRules } from '../ask.ts';
import type { GitCredential } from '../remote-refs.ts';
import { GitFailed, runGit } from './run-git.ts';

/** The files of a commit: names at once, texts as they are asked for. */
export interface CommitTree {
  /** Sorted; without links and submodules. */
  paths: readonly string[];
  /** Texts of files; left out: what is absent or larger than `mostBytes` of a file. */
  texts(paths: readonly string[]): Promise<Map<string, string>>;
}

const mostTransferred = 64 * 1_048_576;
const mostOfFile = 256 * 1_024;
const mostOfList = 32 * 1_048_576;
const mostAtOnce = 4;
let reading = 0;

/**
 * Reads a commit by the machine's git: its trees at first, then the few files that are wanted. All that git asks goes through
 * a proxy of the rules of outgoing addresses. Throws `OutboundRefused` or `OutboundFailed`.
 */
export async function withCommitTree<T>(
  address: GitAddress,
  commit: string,
  credential: GitCredential | undefined,
  rules: GitRules,
  stop: AbortSignal,
  work: (tree: CommitTree) => Promise<T>,
): Promise<T> {
  if (reading >= mostAtOnce) throw new OutboundFailed('Other repositories are being read; try again in a moment.');
  reading += 1;
  const folder = await mkdtemp(join(tmpdir(), `ballast-commit-${process.pid}-`));
  const ending = new AbortController();
  const signal = AbortSignal.any([stop, ending.signal, AbortSignal.timeout(rules.timeoutMillis ?? 25_000)]);
  let bytes = 0;
  const proxy = openProxy(rules, rules.resolve, (more) => {
    bytes += more;
    if (bytes > mostTransferred) ending.abort();
  });
  const server = createServer();
  try {
    proxy.serve(server);
    const port = await listening(server);
    const config = await settingsOf(address, { folder, port, authorities: rules.certificateAuthorities });
    const secrets = credential && {
      BALLAST_GIT_USERNAME: credential.username,
      BALLAST_GIT_PASSWORD: credential.password,
    };
    const git = (args: readonly string[], input = '', mostBytes = 1_048_576) =>
      runGit({ args: [...config, ...args], folder, ...(secrets && { secrets }), input, mostBytes, signal });
    await git(['init', '-q', '--bare', folder]);
    await git(['config', 'remote.origin.url', address.url]);
    await git([...fetching, '--depth=1', 'origin', commit]);
    const files = filesOf(
      await git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], '', mostOfList),
    );
    return await work({
      paths: [...files.keys()].toSorted(),
      async texts(paths) {
        const wanted = paths.flatMap((path) => {
          const id = files.get(path);
          return id === undefined ? [] : [{ path, id }];
        });
        if (wanted.length === 0) return new Map();
        const ids = [...new Set(wanted.map(({ id }) => id))];
        await git([...fetching, '--stdin', 'origin'], `${ids.join('\n')}\n`);
        const blobs = readBlobs(await git(['cat-file', '--batch'], `${ids.join('\n')}\n`, mostTransferred));
        return new Map(wanted.flatMap(({ path, id }) => (blobs.has(id) ? [[path, blobs.get(id) ?? '']] : [])));
      },
    });
  } catch (error) {
    const [refused] = proxy.refused;
    if (refused !== undefined) throw new OutboundFailed(`The repository leads elsewhere: ${refused}`);
    if (bytes > mostTransferred)
      throw new OutboundFailed('The repository is too large to be looked at (more than 64 MB).');
    if (stop.aborted) throw error;
    if (signal.aborted) throw new OutboundFailed(`${address.host} did not answer in time; try again.`);
    if (error instanceof GitFailed) throw new OutboundFailed(`${address.host} did not give the commit; try again.`);
    throw error;
  } finally {
    ending.abort();
    proxy.close();
    reading -= 1;
    await rm(folder, { recursive: true, force: true });
  }
}

const fetching = [
  ...['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none'],
];

interface Ground {
  folder: string;
  port: number;
  authorities: string | undefined;
}

async function settingsOf({ url }: GitAddress, { folder, port, authorities }: Ground): Promise<string[]> {
  const { origin, protocol } = new URL(url);
  const settings: Record<string, string> = {
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'fetch.negotiationAlgorithm': 'noop',
    'protocol.version': '2',
    'protocol.allow': 'never',
    'protocol.https.allow': 'always',
    'http.proxy': `http://127.0.0.1:${port}`,
    'http.lowSpeedLimit': '100',
    'http.lowSpeedTime': '20',
    // Of this host alone: a redirect to another one gets nothing.
    [`credential.${origin}.helper`]:
      '!f() { test "$1" = get && test -n "$BALLAST_GIT_PASSWORD" && printf "username=%s\\npassword=%s\\n" "$BALLAST_GIT_USERNAME" "$BALLAST_GIT_PASSWORD"; }; f',
    ...(protocol === 'http:' ? { 'protocol.http.allow': 'always' } : {}),
  };
  if (authorities !== undefined && authorities !== '') {
    const file = join(folder, 'authorities.pem');
    settings['http.sslCAInfo'] = file;
    await writeFile(file, [...getCACertificates('default'), authorities].join('\n'));
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return address.port;
}

/** By path; names that are no UTF-8 are left out, as nobody could write them in a setting. */
function filesOf(list: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of list.toString('utf8').split('\0')) {
    const [, mode, id, path] = /^(\d{6}) blob ([0-9a-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
    if (id === undefined || path === undefined || mode === '120000' || path.includes('\uFFFD')) continue;
    files.set(path, id);
  }
  return files;
}

function readBlobs(answer: Buffer): Map<string, string> {
  const blobs = new Map<string, string>();
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(10, at);
    const [id = '', kind = '', size = ''] = answer.toString('latin1', at, end === -1 ? answer.length : end).split(' ');
    if (end === -1) break;
    if (kind !== 'blob') {
      at = end + 1;
      continue;
    }
    const length = Number(size);
    if (length <= mostOfFile) blobs.set(id, answer.toString('utf8', end + 1, end + 1 + length));
    at = end + 1 + length + 1;
  }
  return blobs;
}
