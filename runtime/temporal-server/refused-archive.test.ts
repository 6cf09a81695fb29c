import { basename } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { checksumLine, releaseArchive, releaseHost } from '../../test/images/release-host.ts';
import { TemporalSearch, type Wanted } from '../../test/images/temporal-search.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { officialArchive } from './temporal-archive.ts';

const file = basename(officialArchive());
let search: TemporalSearch;

const [host, stranger, good] = await Promise.all([releaseHost(), releaseHost(), releaseArchive(temporalVersion)]);
setDefaultCACertificates([...getCACertificates('default'), host.ca]);
afterAll(() => Promise.all([host, stranger].map((one) => one.close())));
beforeEach(() => {
  search = new TemporalSearch();
});
afterEach(() => search.close());

type Answer = Parameters<typeof host.answer>[1];
/** The address of an archive that would be taken if this were not the answer to it, or to its checksums. */
function disturbed(answer: Answer, name = file): string {
  const archive = host.release(file, good);
  host.answer(`/v1/${name}`, answer);
  return archive;
}

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
    () =>
      disturbed((_, response) => {
        response.writeHead(200, { 'content-length': good.length });
        response.write(good.subarray(0, 20), () => response.destroy());
      }),
  ],
  [
    'never goes on',
    /nothing more arrives/,
    () => disturbed((_, response) => void response.writeHead(200).write(good.subarray(0, 20))),
    { idleMilliseconds: 300 },
  ],
  ['never begins', /no answer in time/, () => disturbed(() => {}, 'checksums.txt'), { idleMilliseconds: 300 }],
  ['says that it is too large', /sends more than 10 bytes/, () => host.release(file, good), { bytes: 10 }],
  [
    'is larger than it said',
    /sends more than 10 bytes/,
    () =>
      disturbed((_, response) => {
        response.write(good.subarray(0, 8));
        response.end(good);
      }),
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
    const finding = search.find({ archive, ...(limits ? { limits } : {}) });
    await expect(finding).rejects.toThrow(
      /^TEMPORAL_ARCHIVE is \S+, and it cannot be used: .+; correct it, or unset it/,
    );
    await expect(finding).rejects.toThrow(sentence);
    expect(search.kept()).toEqual([]);
  },
);
