import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { ensureCertificates, serverName } from './certificates.ts';
import { type Home, openHome } from './home.ts';

let home: Home;
beforeEach(() => {
  home = openHome(join(temporaryFolder(), 'home'));
});

const certificate = (path: string) => new X509Certificate(readFileSync(path));

test('server and client are signed by an authority whose key exists nowhere', async () => {
  const files = await ensureCertificates(home);
  const [ca, server, client] = [files.ca, files.serverCert, files.clientCert].map(certificate);
  if (!ca || !server || !client) throw new Error('a certificate is missing');
  expect(server.verify(ca.publicKey) && client.verify(ca.publicKey)).toBe(true);
  expect(ca.ca && !server.ca && !client.ca).toBe(true);
  expect(server.checkHost(serverName)).toBe(serverName);
  expect(client.checkHost(serverName)).toBeUndefined();
  expect(Object.keys(files).filter((name) => name.endsWith('Key'))).toEqual(['serverKey', 'clientKey']);
  for (const path of Object.values(files)) expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('they stay until 30 days before their end', async () => {
  const now = Date.now();
  const day = 86_400_000;
  const first = certificate((await ensureCertificates(home)).serverCert).fingerprint256;
  const later = async (days: number) =>
    certificate((await ensureCertificates(home, new Date(now + days * day))).serverCert).fingerprint256;
  expect(await later(790)).toBe(first);
  expect(await later(800)).not.toBe(first);
});

test('a part that is missing makes all of them anew', async () => {
  const files = await ensureCertificates(home);
  const first = certificate(files.ca).fingerprint256;
  rmSync(files.clientKey);
  await ensureCertificates(home);
  expect(certificate(files.ca).fingerprint256).not.toBe(first);
  expect(certificate(files.clientCert).verify(certificate(files.ca).publicKey)).toBe(true);
});
