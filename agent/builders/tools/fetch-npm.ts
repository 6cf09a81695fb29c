import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fetchPublic } from '../../../outbound/request.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { Refusal } from '../../program/refusal.ts';
import { unpackSource } from '../source/unpack-source.ts';

/** For machines that have Node and no npm. The digest is that of the file itself, whichever registry it comes from. */
export const pinnedNpm = {
  version: '11.6.2',
  integrity: 'sha512-7iKzNfy8lWYs3zq4oFPa8EXZz5xt9gQNKJZau3B1ErLBb6bF7sBJ00x09485DOvRT2l5Gerbl3VlZNT57MxJVA==',
};
const largest = 32 * 2 ** 20;

/** Has the package npm in the folder, checked. */
export async function fetchNpm(
  folder: string,
  { registry, outbound }: { registry: string; outbound: OutboundRules },
  signal: AbortSignal,
): Promise<void> {
  const address = `${registry.replace(/\/+$/, '')}/npm/-/npm-${pinnedNpm.version}.tgz`;
  const bytes = await fetchPublic(address, { ...outbound, maxBytes: largest, timeoutMillis: 120_000 });
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (integrity !== pinnedNpm.integrity)
    throw new Refusal(
      `npm ${pinnedNpm.version} from ${new URL(address).host} is not the one that is expected: ${integrity}.`,
    );
  const draft = `${folder}.unpacked`;
  try {
    await unpackSource(
      Readable.from([bytes]).pipe(createGunzip()),
      draft,
      { bytes: 10 * largest, files: 20_000 },
      signal,
    );
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await rename(join(draft, 'package'), join(folder, 'node_modules', 'npm'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
