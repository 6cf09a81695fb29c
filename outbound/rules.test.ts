import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, expect, test } from 'vitest';
import { SettingsError } from '../domain/settings/settings.ts';
import { temporaryFolder } from '../machine/test-ground.ts';
import { authority } from '../test/ground/authority.ts';
import { receiver } from '../test/ground/receiver.ts';
import { resolveOutside } from './registry.ts';
import { fetchPublic, postPublic } from './request.ts';
import { outboundRules } from './rules.ts';
import type { Resolve } from './target.ts';

const there = await receiver('127.0.0.1', 'registry.example');
const directory = temporaryFolder();
afterAll(async () => {
  await there.close();
  await rm(directory, { recursive: true });
});

const limits = { maxBytes: 1000, timeoutMillis: 5000 };

async function rulesOf(content: string) {
  const path = join(directory, 'authorities.pem');
  await writeFile(path, content);
  return await outboundRules({ OUTBOUND_ALLOWED_RANGES: ['127.0.0.0/8'], OUTBOUND_CA_FILE: path });
}

test('without a file there are the public authorities alone', async () => {
  const rules = await outboundRules({ OUTBOUND_ALLOWED_RANGES: ['10.0.0.0/8'], OUTBOUND_CA_FILE: undefined });
  expect(rules).toEqual({ allowedRanges: ['10.0.0.0/8'] });
});

test('a file may have several authorities, and words and keys beside them, which are left out', async () => {
  const [other, { private: key }] = await Promise.all([
    authority(),
    generate([{ name: 'commonName', value: 'x' }], { keyType: 'ec', algorithm: 'sha256' }),
  ]);
  const rules = await rulesOf(`Ours:\n${other.ca}\n${key}\n# and theirs\n${there.ca}`);
  expect(rules.certificateAuthorities).not.toMatch(/PRIVATE|Ours|theirs/);
  expect((await postPublic(there.url('/x'), { ...limits, ...rules, json: {} })).status).toBe(200);
});

test('a certificate that signed itself is trusted as its own authority', async () => {
  const { cert } = await generate([{ name: 'commonName', value: 'x' }], { keyType: 'ec', algorithm: 'sha256' });
  expect((await rulesOf(cert)).certificateAuthorities).toContain('BEGIN CERTIFICATE');
});

test('a file that is missing, empty, broken or of a server is refused by a sentence that names it', async () => {
  const missing = outboundRules({ OUTBOUND_ALLOWED_RANGES: [], OUTBOUND_CA_FILE: join(directory, 'missing.pem') });
  await expect(missing).rejects.toThrow(
    `OUTBOUND_CA_FILE names ${join(directory, 'missing.pem')}, which cannot be read (ENOENT); correct it.`,
  );
  const { cert } = await (await authority()).certify('server.example');
  const broken = there.ca.replace(/\n[A-Za-z0-9+/=]{20}/, '\n????????????????????');
  for (const [content, why] of [
    ['', 'which has no certificate in PEM'],
    ['not PEM', 'which has no certificate in PEM'],
    [broken, 'which has a certificate that cannot be read'],
    [`${there.ca}\n${cert}`, 'which has the certificate of a server'],
  ] as const) {
    const refused = rulesOf(content);
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(SettingsError);
  }
});

test('authorities of the owner are trusted beside those that Node trusts, not in their place', async () => {
  const { ca } = await authority();
  const before = getCACertificates();
  setDefaultCACertificates([...before, there.ca]);
  try {
    const rules = { ...there.rules, certificateAuthorities: ca };
    expect((await postPublic(there.url('/x'), { ...limits, ...rules, json: {} })).status).toBe(200);
  } finally {
    setDefaultCACertificates(before);
  }
});

test('what is read comes by the same authorities: a document, and an image of a registry with its sign-in', async () => {
  const read = () => fetchPublic(there.url('/document'), { ...limits, ...there.rules });
  expect((await read()).toString()).toBe('ok');
  const strict = fetchPublic(there.url('/document'), { ...limits, allowedRanges: there.rules.allowedRanges });
  await expect(strict).rejects.toThrow('could not be reached');

  const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const host = `registry.example:${there.port}`;
  const digest = `sha256:${'a'.repeat(64)}`;
  there.answers(
    { status: 401, headers: { 'www-authenticate': `Bearer realm="https://${host}/token",service="r"` } },
    { status: 200, body: '{"token":"t"}' },
    { status: 200, headers: { 'docker-content-digest': digest } },
  );
  const image = { host, repository: 'acme/web', reference: 'latest' };
  expect(await resolveOutside(image, { ...there.rules, timeoutMillis: 5000, resolve })).toBe(digest);
});
