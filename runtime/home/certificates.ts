import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomically } from '../../machine/files.ts';
import type { Home } from './home.ts';

/** The files that make the embedded Temporal speak to nobody but us. */
export interface CertificateFiles {
  ca: string;
  serverCert: string;
  serverKey: string;
  clientCert: string;
  clientKey: string;
}

/** The name in the server's certificate, whatever address it is reached under. */
export const serverName = 'temporal.ballast.internal';

const day = 86_400_000;
const lifetimeDays = 825;
const renewBeforeDays = 30;

export function certificateFiles(home: Home): CertificateFiles {
  const file = (name: string) => home.file('keys', `temporal-${name}.pem`);
  return {
    ca: file('ca'),
    serverCert: file('server'),
    serverKey: file('server-key'),
    clientCert: file('client'),
    clientKey: file('client-key'),
  };
}

/**
 * Makes the certificates when they are missing or end soon. The authority that signs them lives only in this function:
 * its key is thrown away, so that nothing else can ever be signed in its name.
 */
export async function ensureCertificates(home: Home, now = new Date()): Promise<CertificateFiles> {
  const files = certificateFiles(home);
  if (Object.values(files).every(existsSync) && [files.ca, files.serverCert, files.clientCert].every(lasts))
    return files;
  // Loaded only when it is needed: it would stay in the memory of the supervisor.
  const { generate } = await import('selfsigned');
  // A clock that was set back later must not find certificates that are not valid yet.
  const validity = {
    notBeforeDate: new Date(now.getTime() - day),
    notAfterDate: new Date(now.getTime() + lifetimeDays * day),
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'Ballast embedded Temporal' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const signed = (name: string) =>
    generate([{ name: 'commonName', value: name }], {
      ...validity,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, critical: true },
        // Temporal's own services are clients of each other with the server's certificate.
        { name: 'extKeyUsage', serverAuth: name === serverName, clientAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
      ],
    });
  const [server, client] = await Promise.all([signed(serverName), signed('client.ballast.internal')]);
  writeFileAtomically(files.serverKey, server.private);
  writeFileAtomically(files.serverCert, server.cert);
  writeFileAtomically(files.clientKey, client.private);
  writeFileAtomically(files.clientCert, client.cert);
  // Last, because a start that is cut off before it makes all of them again.
  writeFileAtomically(files.ca, authority.cert);
  return files;

  function lasts(path: string): boolean {
    const { validToDate, validFromDate } = new X509Certificate(readFileSync(path));
    return validFromDate <= now && validToDate.getTime() - now.getTime() > renewBeforeDays * day;
  }
}
