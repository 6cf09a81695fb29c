import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../test/identity/software-authenticator.ts';
import { passkeysWork, verifyNewPasskey } from './passkeys.ts';

test.each([
  ['https://ballast.example.com', true],
  ['https://ballast.example.com:8443', true],
  ['http://localhost:8088', true],
  ['http://a.localhost:8088', true],
  ['http://ballast.example.com', false],
  ['https://192.0.2.7', false],
  ['http://127.0.0.1:8088', false],
  ['https://[2001:db8::7]', false],
])('at %s passkeys are offered: %s', (publicUrl, offered) => {
  expect(passkeysWork(publicUrl)).toBe(offered);
});

const publicUrl = 'https://ballast.example.com';
const challenge = 'Y2hhbGxlbmdl';

test('a new passkey answers our challenge, from our address', async () => {
  const device = new SoftwareAuthenticator(publicUrl);
  expect(await verifyNewPasskey(publicUrl, challenge, device.create({ challenge }))).toMatchObject({ transports: [] });
  expect(await verifyNewPasskey(publicUrl, challenge, device.create({ challenge: 'b3RoZXI' }))).toBeUndefined();
  expect(await verifyNewPasskey(publicUrl, '', device.create({ challenge }))).toBeUndefined();
  const elsewhere = new SoftwareAuthenticator('https://evil.example.com').create({ challenge });
  expect(await verifyNewPasskey(publicUrl, challenge, elsewhere)).toBeUndefined();
});

test('one that comes with certificates is refused before anybody looks at them', async () => {
  const answer = JSON.parse(new SoftwareAuthenticator(publicUrl).create({ challenge }));
  const attested = Buffer.from(answer.response.attestationObject, 'base64url');
  const named = (format: string) => {
    const text = Buffer.concat([Buffer.from([0x60 + format.length]), Buffer.from(format)]);
    const none = Buffer.from('\x64none');
    const at = attested.indexOf(none);
    const changed = Buffer.concat([attested.subarray(0, at), text, attested.subarray(at + none.length)]);
    answer.response.attestationObject = changed.toString('base64url');
    return verifyNewPasskey(publicUrl, challenge, JSON.stringify(answer));
  };
  for (const format of ['fido-u2f', 'tpm', 'apple', 'android-safetynet']) expect(await named(format)).toBeUndefined();
  expect(await named('none')).toBeDefined();
});

test.each([
  '',
  'null',
  '[]',
  '{}',
  '{"id":1}',
  '{"id":"a","rawId":"a","type":"public-key","response":{}}',
  'x'.repeat(9000),
])('what is no answer is no passkey: %s', async (answer) => {
  expect(await verifyNewPasskey(publicUrl, challenge, answer)).toBeUndefined();
});
