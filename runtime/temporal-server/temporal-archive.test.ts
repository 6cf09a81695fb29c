import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  checksumLine,
  proxyTo,
  type ReleaseHost,
  releaseArchive,
  releaseHost,
} from '../../test/images/release-host.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { officialArchive } from './temporal-archive.ts';
import { findTemporal } from './temporal-binary.ts';

const file = basename(officialArchive());
const nobody = 'http://127.0.0.1:1';
let host: ReleaseHost;
let github: ReleaseHost;
let stranger: ReleaseHost;
let good: Buffer;
let directory: string;
let said: string[];

beforeAll(async () => {
  [host, github, stranger, good] = await Promise.all([
    releaseHost(),
    releaseHost('github.com'),
    releaseHost(),
    releaseArchive(temporalVersion),
  ]);
  setDefaultCACertificates([...getCACertificates('default'), host.ca, github.ca]);
});
afterAll(() => Promise.all([host, github, stranger].map((one) => one.close())));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-archive-'));
  said = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

interface Wanted {
  archive?: string;
  env?: Record<string, string>;
  limits?: { bytes?: number; idleMilliseconds?: number };
  /** SHA-256 that is known of the official archive. */
  known?: string;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const find = ({ archive, env = {}, limits, known }: Wanted) =>
  findTemporal({
    explicit: undefined,
    archive,
    progress: (text) => said.push(text),
    buildLog: join(directory, 'build.log'),
    env: { PATH: '/usr/bin:/bin', HOME: directory, ...env },
    goDirectories: [],
    ...(limits ? { limits } : {}),
    ...(known ? { pinned: { [temporalVersion]: { [file]: known } } } : {}),
  });

/** The content of the cache, apart from the lock. */
const kept = () => {
  const cache = join(directory, '.cache', 'ballast');
  return existsSync(cache) ? readdirSync(cache).filter((name) => !name.includes('.lock')) : [];
};

test('the archive is downloaded, checked and unpacked once, with a share of it told', async () => {
  const archive = host.release(file, good);
  const { server, sqlTool } = await find({ archive });
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  expect(existsSync(sqlTool)).toBe(true);
  expect(readdirSync(join(server, '..')).sort()).toEqual(['temporal-server', 'temporal-sql-tool']);
  expect(said.join('\n')).toMatch(/^downloading the Temporal server, \d+ % \(1 MB\)$/m);
  expect(said.join('\n')).not.toMatch(/error|fail|ended with code/i);

  const before = host.asked.get(`/v1/${file}`);
  expect((await find({ archive })).server).toBe(server);
  expect(host.asked.get(`/v1/${file}`)).toBe(before);
});

test('the official address is asked through the proxy that the environment names', async () => {
  const path = new URL(officialArchive()).pathname;
  github.answer(path, good);
  github.answer(path.replace(file, 'checksums.txt'), checksumLine(file, good));
  const proxy = await proxyTo(github.origin);
  await find({ env: { HTTPS_PROXY: proxy.address } });
  proxy.close();
  expect(new Set(proxy.names)).toEqual(new Set(['github.com:443']));
});

test('two starts at once download it once', async () => {
  const own = host.release(`twice-${file}`, good);
  const [one, other] = await Promise.all([find({ archive: own }), find({ archive: own })]);
  expect(one).toEqual(other);
  expect(host.asked.get(`/v1/twice-${file}`)).toBe(1);
});

test('a redirect to another https address is followed, one to http never', async () => {
  const archive = host.release(`there-${file}`, good, checksumLine(`here-${file}`, good));
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: archive }).end());
  await find({ archive: `${host.origin}/v1/here-${file}` });
  rmSync(join(directory, '.cache'), { recursive: true });
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  await expect(find({ archive: `${host.origin}/v1/here-${file}` })).rejects.toThrow(/was to be asked without https/);
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: '' }).end());
  await expect(find({ archive: `${host.origin}/v1/here-${file}` })).rejects.toThrow(/redirects again and again/);
});

const unwilling: [string, RegExp, () => string | Promise<string>, Wanted['limits']?][] = [
  [
    'is another one than was published',
    /does not have the checksum/,
    () => host.release(file, good, checksumLine(file, Buffer.from('x'))),
  ],
  [
    'has no checksums beside it',
    /answers 404/,
    () => {
      host.answer(`/v2/${file}`, good);
      return `${host.origin}/v2/${file}`;
    },
  ],
  [
    'is not named by the checksums',
    /checksums\.txt of \S+ has no line for/,
    () => host.release(file, good, checksumLine('other', good)),
  ],
  [
    'is not there',
    /answers 404/,
    () => {
      host.release(file, good, checksumLine('none.tar.gz', good));
      return `${host.origin}/v1/none.tar.gz`;
    },
  ],
  [
    'breaks off',
    /the connection broke off/,
    () => {
      const archive = host.release(file, good);
      host.answer(`/v1/${file}`, (_, response) => {
        response.writeHead(200, { 'content-length': good.length });
        response.write(good.subarray(0, 20), () => response.destroy());
      });
      return archive;
    },
  ],
  [
    'never goes on',
    /nothing more arrives/,
    () => {
      const archive = host.release(file, good);
      host.answer(`/v1/${file}`, (_, response) => {
        response.writeHead(200).write(good.subarray(0, 20));
      });
      return archive;
    },
    { idleMilliseconds: 300 },
  ],
  [
    'never begins',
    /no answer in time/,
    () => {
      const archive = host.release(file, good);
      host.answer('/v1/checksums.txt', () => {});
      return archive;
    },
    { idleMilliseconds: 300 },
  ],
  ['says that it is too large', /sends more than 10 bytes/, () => host.release(file, good), { bytes: 10 }],
  [
    'is larger than it said',
    /sends more than 10 bytes/,
    () => {
      const archive = host.release(file, good);
      host.answer(`/v1/${file}`, (_, response) => {
        response.write(good.subarray(0, 8));
        response.end(good);
      });
      return archive;
    },
    { bytes: 10 },
  ],
  ['is not packed as it should be', /it is damaged/, () => host.release(file, Buffer.from('not an archive'))],
  [
    'has no tool in it',
    /there is no temporal-sql-tool in it/,
    async () => host.release(file, await releaseArchive(temporalVersion, ['temporal-server'])),
  ],
  [
    'is of another version',
    /it contains version 1\.29\.0/,
    async () => host.release(file, await releaseArchive('1.29.0')),
  ],
  [
    'is not the one that its address pins',
    /does not have the checksum/,
    () => `${host.release(file, good)}#sha256=${'0'.repeat(64)}`,
  ],
  ['is pinned in a way that is not known', /what follows # is not sha256=/, () => `${host.release(file, good)}#md5=1`],
  ['cannot be reached', /nobody listens there/, () => 'https://127.0.0.1:1/temporal.tar.gz'],
  [
    'is served under another name than that of its certificate',
    /localhost:\d+: its certificate is for another name/,
    () => `https://localhost:${new URL(host.origin).port}/v1/${file}`,
  ],
  [
    'is served by a stranger',
    /its certificate is of an authority that is not trusted/,
    () => stranger.release(file, good),
  ],
];

test.each(unwilling)(
  'an archive that was named and %s is refused, and nothing is kept',
  async (_, sentence, prepare, limits) => {
    const archive = await prepare();
    const finding = find({ archive, ...(limits ? { limits } : {}) });
    await expect(finding).rejects.toThrow(
      /^TEMPORAL_ARCHIVE is \S+, and it cannot be used: .+; correct it, or unset it/,
    );
    await expect(finding).rejects.toThrow(sentence);
    expect(kept()).toEqual([]);
  },
);

test('an archive may be a file; checksums beside it must name it', async () => {
  const archive = join(directory, file);
  writeFileSync(archive, good);
  writeFileSync(join(directory, 'checksums.txt'), checksumLine(file, Buffer.from('another')));
  await expect(find({ archive })).rejects.toThrow(/it does not have the checksum of .+checksums\.txt/);
  writeFileSync(join(directory, 'checksums.txt'), checksumLine(file, good));
  expect(readFileSync((await find({ archive })).server, 'utf8')).toContain(temporalVersion);
  expect(existsSync(archive)).toBe(true);
  await expect(find({ archive: join(directory, 'none'), env: { HOME: join(directory, 'x') } })).rejects.toThrow(
    /no such file/,
  );
});

test('an archive whose digest is known here needs no checksums of its host, and they do not help another one', async () => {
  const archive = host.release(file, good, checksumLine('other', good));
  const { server } = await find({ archive, known: sha256(good) });
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  rmSync(join(directory, '.cache'), { recursive: true });

  const swapped = host.release(
    file,
    await releaseArchive(temporalVersion, ['temporal-server', 'temporal-sql-tool', 'x']),
  );
  await expect(find({ archive: swapped, known: sha256(good) })).rejects.toThrow(
    /is not the archive of \S+ that is known here/,
  );
  expect(kept()).toEqual([]);
});

test('a digest of one’s own goes before all others, for an address and for a file', async () => {
  const archive = host.release(file, good, checksumLine('other', good));
  await find({ archive: `${archive}#sha256=${sha256(good)}`, known: '0'.repeat(64) });
  rmSync(join(directory, '.cache'), { recursive: true });

  const there = join(directory, file);
  writeFileSync(there, good);
  writeFileSync(join(directory, 'checksums.txt'), checksumLine(file, Buffer.from('another')));
  await expect(find({ archive: `${there}#sha256=${'0'.repeat(64)}` })).rejects.toThrow(
    /it does not have the checksum that was set/,
  );
  expect(kept()).toEqual([]);
  await find({ archive: `${there}#sha256=${sha256(good)}` });
});

test('entries of an archive are written where they belong, wherever they say', async () => {
  const hostile = pack();
  hostile.entry({ name: '../../evil', mode: 0o755 }, 'evil');
  hostile.entry({ name: 'temporal-sql-tool', type: 'symlink', linkname: '/etc/passwd' });
  hostile.entry({ name: '../../../temporal-server', mode: 0o755 }, `#!/bin/sh\necho ${temporalVersion}\n`);
  hostile.entry({ name: '/tmp/temporal-sql-tool' }, 'tool');
  hostile.entry({ name: 'temporal-server' }, 'a second one');
  hostile.finalize();
  const archive = host.release(file, gzipSync(await buffer(hostile)));
  const { server, sqlTool } = await find({ archive });
  expect(readFileSync(sqlTool, 'utf8')).toBe('tool');
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  expect(readdirSync(join(server, '..')).sort()).toEqual(['temporal-server', 'temporal-sql-tool']);
  expect(readdirSync(directory)).toEqual(['.cache']);
});

/** A Go that is young enough, and does this for `list` and for `build`. */
function installGo(list: string, build: string): Record<string, string> {
  const tools = join(directory, 'tools');
  mkdirSync(tools);
  const script = `#!/bin/sh
case "$1" in
  env) echo go1.99.0 ;;
  list) ${list} ;;
  build) ${build} ;;
esac
`;
  writeFileSync(join(tools, 'go'), script, { mode: 0o755 });
  return { PATH: `${tools}:/usr/bin:/bin`, HTTPS_PROXY: nobody };
}

test('without the release, Go builds both programs in one go, and no line sounds like trouble', async () => {
  const build = `
    echo build >> ${join(directory, 'builds')}
    printf 'a/b\\nc/d\\n' >&2
    while [ "$1" != -o ]; do shift; done
    for name in server sql; do printf '#!/bin/sh\\necho temporal version ${temporalVersion}\\n' > "$2/$name"; done`;
  const { server, sqlTool } = await find({ env: installGo("printf 'a/b\\nc/d\\ne/f\\ng/h\\n'", build) });
  expect(existsSync(server) && existsSync(sqlTool)).toBe(true);
  expect(readFileSync(join(directory, 'builds'), 'utf8')).toBe('build\n');
  expect(said).toContain('building the Temporal server, 50 % (2 of 4 packages)');
  expect(said.join('\n')).toContain('it is built from source with Go');
  expect(said.join('\n')).not.toMatch(/error|fail|ended with code/i);
});

test.each([
  ['does not get the source', 'printf "go: proxy.example.com: no such host\\n" >&2; exit 1', 'exit 0', 'no such host'],
  ['does not compile it', 'echo a/b', 'printf "a/b\\nb/c: no space left on device\\n" >&2; exit 1', 'no space left'],
])(
  'a Go that %s: one sentence names what it said, the log of all that, and what helps',
  async (_, list, build, said) => {
    const log = join(directory, 'build.log');
    const message = await find({ env: installGo(list, build) }).catch((error: Error) => error.message);
    expect(message).toMatch(
      /^The Temporal server could not be built from source: Go said "[^\n]+" \(all of it: [^\n]+\.$/,
    );
    for (const part of [said, log, 'start again', 'TEMPORAL_ARCHIVE', 'TEMPORAL_SERVER'])
      expect(message).toContain(part);
    expect(readFileSync(log, 'utf8')).toContain(said);
    expect(kept()).toEqual([]);
  },
);

test('while Go fetches the source, the number of modules grows', async () => {
  const list = 'printf "go: downloading a v1\\ngo: downloading b v1\\n" >&2; echo a/b';
  await find({ env: installGo(list, 'echo "no compiler" >&2; exit 1') }).catch(() => undefined);
  expect(said).toContain('fetching the source of the Temporal server (2 modules)');
});

test('without release and Go one sentence says what helps', async () => {
  await expect(find({ env: { HTTPS_PROXY: nobody } })).rejects.toThrow(
    /^There is no Temporal server .+ its release cannot be used \(github\.com: nobody listens there\) and there is no Go .+ Set TEMPORAL_ARCHIVE .+TEMPORAL_SERVER .+install Go /,
  );
  expect(kept()).toEqual([]);
});
