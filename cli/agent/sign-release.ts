import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keptBundle } from '../../agent/bundle/kept-bundle.ts';
import { SigningKey } from '../../agent/bundle/signing-key.ts';
import { currentRelease, storeRelease } from '../../db/agent-updates/agent-releases.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Home } from '../../runtime/home/home.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';

export interface SignedRelease {
  image: string;
  version: string;
  digest: string;
  bytes: Buffer;
  fingerprint: string;
  epoch: number;
}

/** Of the Node that runs this very process, which stays the same as long as it runs. */
let nodeDigest: Promise<string> | undefined;

/** The change of the signing key; without one the key stays, or the first one is created. */
export type KeyChange = 'change' | 'replace-lost';

/** Makes the agent of this checkout, signs it and the Node that runs it, and has the API offer both. */
export async function signRelease(home: Home, database: Database, keyChange?: KeyChange): Promise<SignedRelease> {
  const key = await signingKey(home, database, keyChange);
  const { image, version, digest, bytes } = await keptBundle(join(home.path, 'cache'));
  const platform = `${process.platform}-${process.arch}`;
  nodeDigest ??= digestOf(process.execPath);
  const node = { version: process.version, platform, digest: await nodeDigest };
  const { proof, epoch } = key.prove({ version, platform: 'any', digest }, node);
  await storeRelease(database.kysely, { image, version, digest, bytes, proof });
  return { image, version, digest, bytes, fingerprint: key.fingerprint, epoch };
}

/** A file of its own: the API and the worker never open it. */
export function signingKeyFile(home: Home): string {
  return home.file('keys', 'release-signing-key.json');
}

async function signingKey(home: Home, { kysely }: Database, keyChange: KeyChange | undefined): Promise<SigningKey> {
  const path = signingKeyFile(home);
  const known = keyChange === 'replace-lost' ? undefined : SigningKey.read(path);
  if (known !== undefined) {
    if (keyChange === 'change') known.change();
    return known;
  }
  // A new key beside releases of an old one would only hide that the old one was lost: agents refuse it.
  if (keyChange !== 'replace-lost' && (await currentRelease(kysely)) !== undefined) {
    throw new Refusal(
      `${path} is missing, and the agents of this installation run only what that key has signed; restore it from a backup, or run \`./ballast agent sign --replace-lost-key\` and then \`ballast agent trust\` on each machine.`,
    );
  }
  return SigningKey.make(path);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex')}`;
}
