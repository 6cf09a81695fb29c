import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { alone } from './alone.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('of two at once only one does it, and afterwards anybody may, also when it failed', async () => {
  const { database } = fresh;
  let second: boolean | undefined;
  const first = await alone(database, 'task', async () => {
    second = await alone(database, 'task', async () => undefined);
    expect(await alone(database, 'another task', async () => undefined)).toBe(true);
  });
  expect({ first, second }).toEqual({ first: true, second: false });
  const failing = alone(database, 'task', () => Promise.reject(new Error('It failed.')));
  await expect(failing).rejects.toThrow('It failed.');
  expect(await alone(database, 'task', async () => undefined)).toBe(true);
});
