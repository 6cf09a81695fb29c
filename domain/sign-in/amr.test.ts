import { expect, test } from 'vitest';
import { isMultiFactor } from './amr.ts';

test.each([
  ['nothing', [], false],
  ['a password', ['pwd'], false],
  ['a passkey alone, without a word about the user', ['hwk'], false],
  ['two things that are known', ['pwd', 'kba'], false],
  ['two things that are held', ['otp', 'hwk'], false],
  ['a password and a code', ['pwd', 'otp'], true],
  ['a password and a key', ['hwk', 'pwd'], true],
  ['a pin and a smart card', ['pin', 'sc'], true],
  ['a fingerprint and a question', ['fpt', 'kba'], true],
  ['what the provider itself calls several', ['mfa'], true],
  ['several channels', ['mca'], true],
  ['a passkey that has verified its user', ['hwk', 'user', 'mfa'], true],
  ['words that nobody knows', ['pwd', 'magic'], false],
  ['another spelling', ['PWD', 'OTP'], false],
  ['who was there and where', ['user', 'geo', 'pwd'], false],
])('%s', (_, amr, multi) => {
  expect(isMultiFactor(amr)).toBe(multi);
});
