import { createHash } from 'node:crypto';
import { SigningKey } from '../../agent/bundle/signing-key.ts';
import { imageName } from '../../agent/update/download.ts';
import { signingKeyFile } from '../../cli/agent.ts';
import { currentRelease, readReleaseBytes, storeRelease } from '../../db/agent-updates/agent-releases.ts';
import type { Database } from '../../db/postgres/database.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { readHome } from '../../runtime/home/home.ts';
import { changedBundle } from './installed-agent.ts';

/** A release that starts and never reaches the control plane. */
export const broken = { 'agent.mjs': `process.exit(process.argv.includes('--version') ? 0 : 9);\n` };

export interface OfferedRelease {
  image: string;
  /** The one that was offered until now. */
  first: string;
  /** Offers the one before it again. */
  takeBack(): Promise<void>;
}

/** Offers another release of the agent, signed: the one that is offered now with these files in it. */
export async function offerRelease(
  installation: { home: string; database(): Promise<Database> },
  changes: Record<string, string>,
  { version, additions }: { version?: string; additions?: Record<string, string> } = {},
): Promise<OfferedRelease> {
  const { kysely } = await installation.database();
  const before = await currentRelease(kysely);
  const bytes = await readReleaseBytes(kysely, before?.digest ?? '');
  if (before === undefined || bytes === undefined) throw new Error('No release is offered.');
  const about = version === undefined ? {} : { 'release.json': JSON.stringify({ version, protocol: protocolVersion }) };
  const changed = await changedBundle(bytes, { ...changes, ...about }, additions);
  const digest = `sha256:${createHash('sha256').update(changed).digest('hex')}`;
  const called = version ?? before.version;
  const image = imageName(called, digest);
  const offer = async (release: { image: string; version: string; digest: string; bytes: Buffer }) => {
    const key = SigningKey.read(signingKeyFile(readHome(installation.home)));
    if (key === undefined) throw new Error('The installation has no key to sign with.');
    const { proof } = key.prove({ version: release.version, platform: 'any', digest: release.digest });
    await storeRelease(kysely, { ...release, proof });
  };
  await offer({ image, version: called, digest, bytes: changed });
  return { image, first: before.image, takeBack: () => offer({ ...before, bytes }) };
}
