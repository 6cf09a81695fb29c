import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { createKeysFile, openKeyring } from './keys.ts';
import { readKeysFile } from './keys-file.ts';

const fresh = await freshDatabase();
const directory = await mkdtemp(join(tmpdir(), 'ballast-keys-'));
const path = join(directory, 'keys', 'kek.json');
expect(await createKeysFile(path)).toBe(true);
const keyring = await openKeyring(fresh.database, path);
const organizationId = await seedOrganization(fresh.database);
afterAll(async () => {
  await fresh.drop();
  await rm(directory, { recursive: true });
});

const row = 'channel:1:secret';

test('the keys file is for its owner only, and one that is there is left alone', async () => {
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'keys'))).mode & 0o777).toBe(0o700);
  const before = await readFile(path, 'utf8');
  expect(await createKeysFile(path)).toBe(false);
  expect(await readFile(path, 'utf8')).toBe(before);
});

test('of many that make the keys file at once, one does', async () => {
  const other = join(directory, 'race.json');
  const made = await Promise.all(Array.from({ length: 20 }, () => createKeysFile(other)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect((await readKeysFile(other)).keys.size).toBe(1);
});

test('a secret comes back, never looks the same twice, and its text is not in the ciphertext', async () => {
  const one = await keyring.encryptSecret(organizationId, row, 'hunter2 ü');
  const two = await keyring.encryptSecret(organizationId, row, 'hunter2 ü');
  expect(one.equals(two)).toBe(false);
  expect(one.includes('hunter2')).toBe(false);
  expect(await keyring.decryptSecret(organizationId, row, one)).toBe('hunter2 ü');
  expect(await keyring.decryptSecret(organizationId, row, await keyring.encryptSecret(organizationId, row, ''))).toBe(
    '',
  );
});

test('a secret does not open in another row, for another organization or when a bit of it changed', async () => {
  const sealed = await keyring.encryptSecret(organizationId, row, 'secret');
  const other = await seedOrganization(fresh.database);
  await expect(keyring.decryptSecret(organizationId, 'channel:2:secret', sealed)).rejects.toThrow(
    'cannot be decrypted',
  );
  await expect(keyring.decryptSecret(other, row, sealed)).rejects.toThrow("not its organization's");
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    await expect(keyring.decryptSecret(organizationId, row, changed)).rejects.toThrow();
  }
  for (const length of [0, 1, 17, 30, sealed.length - 1]) {
    await expect(keyring.decryptSecret(organizationId, row, sealed.subarray(0, length))).rejects.toThrow();
  }
});

test('two processes that open a fresh database at once get the same keys', async () => {
  const another = await freshDatabase();
  const [one, two] = await Promise.all([openKeyring(another.database, path), openKeyring(another.database, path)]);
  expect(one.cursorKey().equals(two.cursorKey())).toBe(true);
  expect(await one.payloadKey()).toEqual(await two.payloadKey());
  const organization = await seedOrganization(another.database);
  const sealed = await Promise.all([1, 2].map(() => one.encryptSecret(organization, row, 'a')));
  for (const ciphertext of sealed) expect(await two.decryptSecret(organization, row, ciphertext)).toBe('a');
  await another.drop();
});

test('keys are rotated while another process uses them', async () => {
  const other = await openKeyring(fresh.database, path);
  const before = await keyring.encryptSecret(organizationId, row, 'before');
  const { current: oldKek } = await readKeysFile(path);
  let done = false;
  const organizations = await Promise.all(Array.from({ length: 5 }, () => seedOrganization(fresh.database)));
  const working = organizations.map(async (organization) => {
    do {
      const sealed = await other.encryptSecret(organization, row, 'during');
      expect(await keyring.decryptSecret(organization, row, sealed)).toBe('during');
      // Cached keys make this loop a chain of microtasks, which alone would never let the rotation's answers in.
      await setImmediate();
    } while (!done);
  });
  const rotation = await keyring.rotate();
  done = true;
  await Promise.all(working);
  expect(rotation.dropped).toEqual([oldKek]);
  expect(rotation.rewrapped).toBeGreaterThanOrEqual(3);
  const file = await readKeysFile(path);
  expect([...file.keys.keys()]).toEqual([rotation.current]);
  const { rows } = await sql`select distinct kek_id from data_key`.execute(fresh.database.kysely);
  expect(rows).toEqual([{ kek_id: rotation.current }]);
  // `other` read the file before the rotation; a key it has not cached makes it read the file again.
  const late = await seedOrganization(fresh.database);
  await keyring.encryptSecret(late, row, 'late');
  expect(await other.decryptSecret(late, row, await keyring.encryptSecret(late, row, 'late'))).toBe('late');
  for (const ring of [keyring, other, await openKeyring(fresh.database, path)]) {
    expect(await ring.decryptSecret(organizationId, row, before)).toBe('before');
  }
});

test('a rotation that crashed after the new key was written is taken up by the next one', async () => {
  const { keys } = await readKeysFile(path);
  const crashed = JSON.parse(await readFile(path, 'utf8'));
  crashed.keys.half = Buffer.alloc(32, 7).toString('base64');
  crashed.current = 'half';
  await writeFile(path, JSON.stringify(crashed));
  const reopened = await openKeyring(fresh.database, path);
  const sealed = await reopened.encryptSecret(organizationId, row, 'still');
  const { dropped, current } = await reopened.rotate();
  expect(new Set(dropped)).toEqual(new Set([...keys.keys(), 'half']));
  expect([...(await readKeysFile(path)).keys.keys()]).toEqual([current]);
  expect(await keyring.decryptSecret(organizationId, row, sealed)).toBe('still');
});

test('without the right keys file nothing opens, and the sentence says what to do', async () => {
  const wrong = join(directory, 'wrong.json');
  await createKeysFile(wrong);
  await expect(openKeyring(fresh.database, wrong)).rejects.toThrow('restore the file that belongs to this database');
  await expect(openKeyring(fresh.database, join(directory, 'none.json'))).rejects.toThrow('is missing');
  const text = await readFile(path, 'utf8');
  const damaged = join(directory, 'damaged.json');
  await writeFile(damaged, text.slice(0, -20));
  const failing = openKeyring(fresh.database, damaged);
  await expect(failing).rejects.toThrow('is damaged');
  const secretPart = Object.values<string>(JSON.parse(text).keys)[0]?.slice(0, 10) ?? 'none';
  await expect(failing).rejects.not.toThrow(secretPart);
});

test('an unknown payload key is told, and a key of another kind is none', async () => {
  const { rows } = await sql<{ id: string }>`select id from data_key where purpose = 'cursors'`.execute(
    fresh.database.kysely,
  );
  await expect(keyring.payloadKey(rows[0]?.id)).rejects.toThrow('no payload key');
  const { id, key } = await keyring.payloadKey();
  expect(await keyring.payloadKey(id)).toEqual({ id, key });
});

test('with its data key destroyed, an organization has no secrets any more', async () => {
  const doomed = await seedOrganization(fresh.database);
  const sealed = await keyring.encryptSecret(doomed, row, 'secret');
  await fresh.database.kysely.deleteFrom('data_key').where('organization_id', '=', doomed).execute();
  const later = await openKeyring(fresh.database, path);
  await expect(later.decryptSecret(doomed, row, sealed)).rejects.toThrow("not its organization's");
});

test('effects that take every connection of the pool get their keys, though none is known yet', async () => {
  const width = 4;
  const narrow = await freshDatabase({ poolMax: width });
  try {
    const ring = await openKeyring(narrow.database, path);
    const { id: payloadId } = await ring.payloadKey();
    const organizations = await Promise.all(Array.from({ length: 3 * width }, () => seedOrganization(narrow.database)));
    const cold = await openKeyring(narrow.database, path);
    let inside = 0;
    const { promise: full, resolve: filled } = Promise.withResolvers<void>();
    const done = await Promise.all(
      organizations.map((organization) =>
        effect(narrow.database, machine, async () => {
          inside += 1;
          if (inside === width) filled();
          // The pool is empty from here on.
          await full;
          const sealed = await cold.encryptSecret(organization, row, 'cold');
          await cold.payloadKey(payloadId);
          return await cold.decryptSecret(organization, row, sealed);
        }),
      ),
    );
    expect(done).toEqual(organizations.map(() => 'cold'));
  } finally {
    await narrow.drop();
  }
});
