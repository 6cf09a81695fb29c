import { createHash } from 'node:crypto';

const magic = 0xfeedfeed;
const version = 2;
const trustedCertificate = 2;
/** Java reads the store without a password, and then this sum is not checked; with one it is this. */
const password = 'changeit';

/** Certificates (DER) as a store of Java, in its own format JKS: Java reads no PEM. */
export function trustStore(certificates: readonly Buffer[]): Buffer {
  const head = [number(magic), number(version), number(certificates.length)];
  const entries = certificates.flatMap((certificate, index) => [
    ...[number(trustedCertificate), text(`authority-${index}`), Buffer.alloc(8)],
    ...[text('X.509'), number(certificate.length), certificate],
  ]);
  const content = Buffer.concat([...head, ...entries]);
  const sum = createHash('sha1').update(Buffer.from(password, 'utf16le').swap16()).update('Mighty Aphrodite');
  return Buffer.concat([content, sum.update(content).digest()]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value.length);
  return Buffer.concat([bytes, Buffer.from(value, 'latin1')]);
}
