import { createHash, createHmac } from 'node:crypto';
import { isRunning, running } from '../../domain/references/frozen.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import { effectiveContent } from '../../domain/repository-config/overlay.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import { replacing } from '../../domain/services/volumes.ts';
import type { Keyring } from '../keys/keys.ts';

/**
 * SHA-256 over all that a release is. Secret values count by a keyed hash, so that nobody who reads digests can try
 * values; `withoutReplicas` leaves out what needs no new instances.
 */
export async function contentDigest(
  keyring: Pick<Keyring, 'derivedSecret'>,
  organizationId: string,
  content: ReleaseContent,
  secrets: Readonly<Record<string, string>>,
  { withoutReplicas = false }: { withoutReplicas?: boolean } = {},
): Promise<string> {
  const key = await keyring.derivedSecret(organizationId, 'content of releases');
  // How a value was written replaces no instance.
  const counted = Object.entries(secrets).filter(([name]) => !withoutReplicas || isRunning(name));
  const hidden = Object.fromEntries(
    counted.map(([name, value]) => [name, createHmac('sha256', key).update(value).digest('hex')]),
  );
  // Of a file that counts which comes of it: another commit with the same file replaces no instance.
  const counting = withoutReplicas ? effectiveContent(content) : content;
  const settings = withoutReplicas ? replacing(counting.settings) : counting.settings;
  const references = withoutReplicas ? running(content.references) : content.references;
  const text = canonical({ ...counting, settings, references, secrets: hidden });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
