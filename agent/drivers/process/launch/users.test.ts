import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { Places } from '../places.ts';
import { Users } from './users.ts';

let home: string;
let users: Users;
beforeEach(() => {
  home = temporaryFolder();
  users = new Users(new Places(home), '/usr/bin/setpriv');
});

const asRoot = process.getuid?.() === 0;
const range = Array.from({ length: 65_519 - 61_184 + 1 }, (_, at) => 61_184 + at);
const file = () => join(home, 'instances/.users.json');
const known = (): Record<string, number> => JSON.parse(readFileSync(file(), 'utf8'));

test.runIf(asRoot)('a number that was freed is given again only when no other one is left', () => {
  const [first, other] = [users.of('gone/a') ?? 0, users.of('kept/b')];
  expect(range).toContain(first);
  expect(other).not.toBe(first);
  expect(users.of('gone/a')).toBe(first);
  users.forget((key) => key === 'kept/b');
  expect(known()).toEqual({ 'kept/b': other, [`.freed-${first}`]: first });
  expect(users.of('gone/a')).not.toBe(first);
  // All others have been somebody's: the numbers that are free go round.
  const all = range.map((user) => [user === first ? `.freed-${user}` : `held/${user}`, user]);
  writeFileSync(file(), JSON.stringify(Object.fromEntries(all)));
  expect(users.of('gone/c')).toBe(first);
  expect(known()).not.toHaveProperty(`.freed-${first}`);
  expect(() => users.of('gone/d')).toThrow('are in use; remove workloads');
});

test('why nobody has a user of their own is said', () => {
  const without = new Users(new Places(home), undefined);
  expect(without.missing).toMatch(asRoot ? /setpriv .* is missing/ : /not running as root/);
  expect(without.of('shop/a')).toBeUndefined();
  if (asRoot) expect(users.missing).toBeUndefined();
});
