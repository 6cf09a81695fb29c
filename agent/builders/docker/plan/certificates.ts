import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Refusal } from '../../../program/refusal.ts';

const magic = 0xfeedfeed;
const version = 2;
const trustedCertificate = 2;
/** Java reads the store without a password, and then this sum is not checked; with one it is this. */
const password = 'changeit';

/** Certificates (DER) as a store of Java, in its own format JKS: Java reads no PEM. */
function trustStore(certificates: readonly Buffer[]): Buffer {
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

/** Secrets that every build has: a Dockerfile may mount them, too. */
const bundleSecret = 'ballast-certificates';
const storeSecret = 'ballast-truststore';
const bundleAt = '/opt/certificates/ca.pem';
const storeAt = '/run/ballast/truststore';
/** BuildKit takes no larger secret. */
const mostBytes = 500 * 1024;

/** Programs that have their own idea of where certificates lie: of pip and its like, OpenSSL, curl, git, Cargo and Node. */
const names = [
  ...['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'PIP_CERT', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'CARGO_HTTP_CAINFO'],
  'NODE_EXTRA_CA_CERTS',
];

/** Whom commands of a build trust. Mounts alone have it, so no layer does. */
export interface Certificates {
  secrets: Readonly<Record<string, string | Buffer>>;
  mounts(hasJava: boolean): string[];
  variables(hasJava: boolean): Record<string, string>;
}

export const usualCertificates: Certificates = { secrets: {}, mounts: () => [], variables: () => ({}) };

/** The authorities of a file besides the usual ones: many programs know only one list, so this has all of them. */
export function certificatesOf(file: string | undefined): Certificates {
  if (file === undefined) return usualCertificates;
  const own = blocksOf(readFileSync(file, 'latin1'));
  const all = [...new Set([...own, ...rootCertificates.flatMap(blocksOf)])];
  const store = trustStore(all.map((block) => Buffer.from(block, 'base64')));
  const bundle = all.map(pem).join('');
  if (Math.max(bundle.length, store.length) > mostBytes)
    throw new Refusal(
      `The certificates of --build-ca-file are more than an engine takes (500 kB together with the usual ones): leave those out that no build needs.`,
    );
  return {
    secrets: { [bundleSecret]: bundle, [storeSecret]: store },
    mounts: (hasJava) => [
      `--mount=type=secret,id=${bundleSecret},target=${bundleAt}`,
      ...(hasJava ? [`--mount=type=secret,id=${storeSecret},target=${storeAt}`] : []),
    ],
    variables: (hasJava) => ({
      ...Object.fromEntries(names.map((name) => [name, bundleAt])),
      ...(hasJava
        ? { JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${storeAt} -Djavax.net.ssl.trustStoreType=JKS` }
        : {}),
    }),
  };
}

/** The same certificate is the same text, however its lines were broken. */
function blocksOf(text: string): string[] {
  const found = text.matchAll(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([\s\S]*?)-----END/g);
  return [...found].map(([, block = '']) => block.replace(/\s/g, ''));
}

function pem(block: string): string {
  return `-----BEGIN CERTIFICATE-----\n${block.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
