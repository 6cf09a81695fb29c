import { createHash } from 'node:crypto';
import { imageName } from '../../agent/update/image-name.ts';
import { currentRelease, readReleaseBytes, storeRelease } from '../../db/agent-updates/agent-releases.ts';
import type { Database } from '../../db/postgres/database.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { changedBundle } from './installed-agent.ts';

/** What makes a release start, and never reach the control plane. */
export const broken = { 'agent.mjs': `process.exit(process.argv.includes('--version') ? 0 : 9);\n` };

export interface OfferedRelease {
  image: string;
  /** Offers the one before it again. */
  takeBack(): Promise<void>;
}

/** Offers another release of the agent: the one that is offered now with these files in it. */
export async function offerRelease(
  { kysely }: Database,
  changes: Record<string, string>,
  version?: string,
): Promise<OfferedRelease> {
  const before = await currentRelease(kysely);
  const bytes = await readReleaseBytes(kysely, before?.digest ?? '');
  if (before === undefined || bytes === undefined) throw new Error('No release is offered.');
  const about = version === undefined ? {} : { 'release.json': JSON.stringify({ version, protocol: protocolVersion }) };
  const changed = await changedBundle(bytes, { ...changes, ...about });
  const digest = `sha256:${createHash('sha256').update(changed).digest('hex')}`;
  const called = version ?? before.version;
  const image = imageName(called, digest);
  await storeRelease(kysely, { image, version: called, digest, bytes: changed });
  return { image, takeBack: () => storeRelease(kysely, { ...before, bytes }) };
}
