import { randomUUID } from 'node:crypto';
import { generate } from 'selfsigned';

/** A certificate authority that exists for a test. */
export interface Authority {
  /** Its certificate (PEM), for those who are to trust it. */
  ca: string;
  /** A key and a certificate for these names and IPv4 addresses. */
  certify(...names: string[]): Promise<{ key: string; cert: string }>;
  /** The same, expired a year ago. */
  certifyExpired(...names: string[]): Promise<{ key: string; cert: string }>;
}

const kind = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export async function authority(): Promise<Authority> {
  const own = await generate([{ name: 'commonName', value: `Authority ${randomUUID()}` }], {
    ...kind,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const certify = async (names: string[], dates: { notBeforeDate?: Date; notAfterDate?: Date } = {}) => {
    const altNames = names.map((name) =>
      /^[\d.]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
    );
    const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
      ...kind,
      ...dates,
      ca: { key: own.private, cert: own.cert },
      extensions: [{ name: 'subjectAltName', altNames }],
    });
    return { key, cert };
  };
  const year = 365 * 86_400_000;
  return {
    ca: own.cert,
    certify: (...names) => certify(names),
    certifyExpired: (...names) =>
      certify(names, { notBeforeDate: new Date(Date.now() - 2 * year), notAfterDate: new Date(Date.now() - year) }),
  };
}
