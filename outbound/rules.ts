import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type Settings, SettingsError } from '../domain/settings/settings.ts';

/** What the owner of the installation allows beyond the public Internet. Made once a process, for all that asks outside. */
export interface OutboundRules {
  /** Private ranges that may be reached all the same: `OUTBOUND_ALLOWED_RANGES`. */
  readonly allowedRanges: readonly string[];
  /** How refusals say who can allow an address; absent: the owner of the installation, by that setting. */
  readonly allowedBy?: string | undefined;
  /** How refusals say who can add an authority; absent: the owner of the installation, by the setting below. */
  readonly trustedBy?: string | undefined;
  /** Authorities (PEM) that are trusted besides those of Node: `OUTBOUND_CA_FILE`. */
  readonly certificateAuthorities?: string | undefined;
}

/** The part of the rules that decides about addresses. */
export type AddressRules = Pick<OutboundRules, 'allowedRanges' | 'allowedBy'>;

/** The rules as the settings say them. Throws a `SettingsError` when the file of authorities is of no use. */
export async function outboundRules({
  OUTBOUND_ALLOWED_RANGES: allowedRanges,
  OUTBOUND_CA_FILE: path,
}: Pick<Settings, 'OUTBOUND_ALLOWED_RANGES' | 'OUTBOUND_CA_FILE'>): Promise<OutboundRules> {
  if (path === undefined) return { allowedRanges };
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`OUTBOUND_CA_FILE names ${path}, which cannot be read (${error.code}); correct it.`);
  });
  const certificates = certificatesIn(text);
  const fault = authoritiesFault(certificates);
  if (fault !== undefined) throw new SettingsError(`OUTBOUND_CA_FILE names ${path}, ${fault}; correct it.`);
  return { allowedRanges, certificateAuthorities: certificates.join('\n') };
}

/** Whatever else is in the file, such as a key, is left out. */
export function certificatesIn(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}

/** Why these are of no use as authorities. Node itself says nothing about what it cannot read or use, and trusts nobody more. */
export function authoritiesFault(certificates: readonly string[]): string | undefined {
  if (certificates.length === 0) return 'which has no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  try {
    const read = certificates.map((one) => new X509Certificate(one));
    if (read.every(({ ca, issuer, subject }) => ca || issuer === subject)) return undefined;
    return 'which has the certificate of a server: it must be those of authorities';
  } catch {
    return 'which has a certificate that cannot be read';
  }
}

/** By their text: Node's own authorities are parsed again for each context, which takes eight milliseconds. */
const contexts = new Map<string, SecureContext>();
/** Users give authorities, too: see `certificateAuthority` of object stores. */
const mostContexts = 50;

/** The trust of a TLS connection; without authorities of the owner it is left to Node. */
export function trustOf({ certificateAuthorities: more }: OutboundRules): { secureContext?: SecureContext } {
  if (more === undefined || more === '') return {};
  const known = contexts.get(more);
  if (known !== undefined) return { secureContext: known };
  const secureContext = createSecureContext({ ca: [...getCACertificates('default'), more] });
  if (contexts.size >= mostContexts) contexts.clear();
  contexts.set(more, secureContext);
  return { secureContext };
}
