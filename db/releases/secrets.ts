import type { Keyring } from '../keys/keys.ts';

type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

interface Ref {
  id: string;
  organizationId: string;
}

/** The values of a release's secret variables, sealed with the organization's key and bound to the release. */
export async function sealReleaseSecrets(
  keyring: Seals,
  release: Ref,
  secrets: Readonly<Record<string, string>>,
): Promise<Buffer | null> {
  if (Object.keys(secrets).length === 0) return null;
  return await keyring.encryptSecret(release.organizationId, boundTo(release), JSON.stringify(secrets));
}

export async function openReleaseSecrets(
  keyring: Pick<Seals, 'decryptSecret'>,
  release: Ref & { sealed: Buffer | null },
): Promise<Record<string, string>> {
  if (release.sealed === null) return {};
  return JSON.parse(await keyring.decryptSecret(release.organizationId, boundTo(release), release.sealed));
}

function boundTo({ id }: Ref): string {
  return `release:${id}:sealed`;
}
