import { randomUUID } from 'node:crypto';
import { generate } from 'selfsigned';

/** A certificate authority that exists for a test. */
export interface Authority {
  /** Its certificate (PEM), for those who are to trust it. */
  ca: string;
  /** A key and a certificate for these names and IPv4 addresses. */
  certify(...names: string[]): Promise<{ key: string; cert: string }>;
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
  return {
    ca: own.cert,
    async certify(...names) {
      const altNames = names.map((name) =>
        /^[\d.]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
      );
      const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
        ...kind,
        ca: { key: own.private, cert: own.cert },
        extensions: [{ name: 'subjectAltName', altNames }],
      });
      return { key, cert };
    },
  };
}
