import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../../test/seeds/seed.ts';
import { deleteOrganization } from '../../deletions/deletions.ts';
import { createKeysFile, openKeyring } from '../../keys/keys.ts';
import { effect } from '../effect.ts';
import { project } from '../projection.ts';
import {
  finishedWithoutArchive,
  type HistoryPage,
  markArchived,
  readHistory,
  storeHistoryPage,
} from './history-archive.ts';

const fresh = await freshDatabase();
const directory = await mkdtemp(join(tmpdir(), 'ballast-archive-'));
await createKeysFile(join(directory, 'kek.json'));
const keyring = await openKeyring(fresh.database, join(directory, 'kek.json'));
const organizationId = await seedOrganization(fresh.database);
afterAll(async () => {
  await fresh.drop();
  await rm(directory, { recursive: true });
});

async function read(actorId: string): Promise<HistoryPage[]> {
  const pages: HistoryPage[] = [];
  for await (const page of readHistory(fresh.database.kysely, keyring, actorId)) pages.push(page);
  return pages;
}

test('pages come back as they were, run by run, and are unreadable in the database', async () => {
  const actorId = 'deletion/1';
  const text = 'what happened '.repeat(10_000);
  const pages = [
    { actorId, runId: 'b', page: 0, bytes: Buffer.from(text) },
    { actorId, runId: 'b', page: 1, bytes: randomBytes(100_000) },
    { actorId, runId: 'a', page: 0, bytes: Buffer.alloc(0) },
  ];
  for (const page of pages) await storeHistoryPage(fresh.database.kysely, keyring, { ...page, organizationId });
  expect(await read(actorId)).toEqual(pages);
  expect(await read('deletion/2')).toEqual([]);
  const rows = await fresh.database.kysely.selectFrom('history_archive').select('bytes').execute();
  expect(rows).toHaveLength(3);
  for (const { bytes } of rows) expect(bytes.includes('what happened')).toBe(false);
  // Compressed, too.
  expect(Math.min(...rows.map(({ bytes }) => bytes.length))).toBeLessThan(200);
});

test('a page that is stored twice is there once; one that was moved to another place does not open', async () => {
  const page = { actorId: 'deletion/3', runId: 'r', page: 0, bytes: Buffer.from('one'), organizationId };
  await storeHistoryPage(fresh.database.kysely, keyring, page);
  await storeHistoryPage(fresh.database.kysely, keyring, { ...page, bytes: Buffer.from('two') });
  expect((await read('deletion/3')).map(({ bytes }) => bytes.toString())).toEqual(['two']);
  await sql`update history_archive set page = 5 where actor_id = 'deletion/3'`.execute(fresh.database.kysely);
  await expect(read('deletion/3')).rejects.toThrow();
});

test('final rows without an archive are listed until they are marked', async () => {
  const { kysely } = fresh.database;
  const deletion = await effect(fresh.database, machine, (effect) => deleteOrganization(effect, organizationId));
  const id = deletion?.deletionId ?? '';
  expect(await finishedWithoutArchive(kysely, 'deletion', 10)).toEqual([]);
  await project(kysely, 'deletion', id, { state: 'failed', revision: 1, finished: true }, () => undefined);
  expect(await finishedWithoutArchive(kysely, 'deletion', 10)).toMatchObject([{ id, organizationId }]);
  await markArchived(kysely, 'deletion', id);
  expect(await finishedWithoutArchive(kysely, 'deletion', 10)).toEqual([]);
});
