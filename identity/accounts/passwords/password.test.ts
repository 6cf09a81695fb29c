import crypto, { scryptSync } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, expect, test, vi } from 'vitest';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { passwordFault } from './password-rules.ts';
import { takeTurn } from './turns.ts';

const scrypt = vi.spyOn(crypto, 'scrypt');
syncBuiltinESMExports();
afterAll(() => {
  scrypt.mockRestore();
  syncBuiltinESMExports();
});

test('a password is found again, however it is typed, and no other is, for the work that an account costs that does not exist', async () => {
  const stored = await hashPassword('Motör\u0308head forever');
  expect(stored).toMatch(/^scrypt\$65536\$8\$2\$/);
  expect(await verifyPassword('Motör\u0308head forever'.normalize('NFD'), stored)).toBe(true);
  expect(await hashPassword('Motör\u0308head forever')).not.toBe(stored);
  expect(isOutdated(stored)).toBe(false);
  // Its work is told by the arguments, since a busy machine makes any measure of it vary.
  const work = async (of: string | undefined) => {
    scrypt.mockClear();
    expect(await verifyPassword('motör\u0308head forever', of)).toBe(false);
    return scrypt.mock.calls.map(([, salt, length, options]) => [Buffer.from(salt as Buffer).length, length, options]);
  };
  const known = await work(stored);
  expect(known).toEqual([[16, 32, expect.objectContaining({ N: 2 ** 16, r: 8, p: 2 })]]);
  expect(await work(undefined)).toEqual(known);
});

test('one that was made with another cost is still good, and is made anew', async () => {
  const salt = Buffer.from('saltsaltsaltsalt');
  const hash = scryptSync('whatever it was', salt, 32, { N: 1024, r: 8, p: 1 });
  const cheap = `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
  expect(await verifyPassword('whatever it was', cheap)).toBe(true);
  expect(await verifyPassword('whatever it is', cheap)).toBe(false);
  expect(isOutdated(cheap)).toBe(true);
});

test('two passwords are checked at once, and whoever comes when too many wait is refused', async () => {
  const refusal = () => new Error('full');
  const first = await takeTurn(refusal);
  const second = await takeTurn(refusal);
  const order: number[] = [];
  const waiting = Array.from({ length: 40 }, async (_, index) => {
    using _turn = await takeTurn(refusal);
    order.push(index);
  });
  await expect(takeTurn(refusal)).rejects.toThrow('full');
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  await Promise.all(waiting);
  expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

const ada = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com' };

test.each([
  ['eleven char', 'too short'],
  ['🦀'.repeat(11), 'too short'],
  ['x'.repeat(257), 'too long'],
  ['aaaaaaaaaaaaaaaa', 'repeats few characters'],
  ['abababababababab', 'repeats few characters'],
  ['ADA.lovelace@example.com', 'your name or e-mail'],
  ['ada.lovelace', 'your name or e-mail'],
  ['ada lovelace', 'your name or e-mail'],
  ['Ada LovelaceAda Lovelace', 'your name or e-mail'],
])('%j is no password', (password, why) => {
  expect(passwordFault(password, ada)).toContain(why);
});

test.each(['correct horse battery', 'twelve chars', 'пароль из слов', `ab🦀${'x'.repeat(253)}`])(
  '%j is one',
  (password) => {
    expect(passwordFault(password, ada)).toBeUndefined();
  },
);
