import { createHash } from 'node:crypto';
import { programVersion } from '../../domain/version.ts';
import { keptFile } from '../../machine/kept-file.ts';
import { imageName } from '../update/download.ts';
import type { Bundle } from './make-bundle.ts';

/** All rooms that go into a bundle. */
const rooms = ['agent', 'domain', 'machine', 'outbound', 'protocol'];

/** The bundle of this version. Making it takes a second. */
export async function keptBundle(cache: string): Promise<Bundle> {
  const make = async () => (await (await import('./make-bundle.ts')).makeBundle()).bytes;
  const { bytes } = await keptFile({ cache, name: 'agent', ending: 'tar.gz', rooms, make });
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { image: imageName(programVersion, digest), version: programVersion, digest, bytes };
}
