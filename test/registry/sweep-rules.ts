import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../api/registry/storage/blob-store.ts';
import { sweep } from '../../api/registry/sweep-regularly.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { forgetUnknownBlob, sweepRegistry, unknownBlobs } from '../../db/registry/sweep-registry.ts';
import { blobOf, digestOf, types } from './registry-client.ts';
import { type RegistryWorld, registryWorld } from './registry-world.ts';
import { seedRepository } from './seed-repository.ts';
import type { Storage } from './storages.ts';

/** Which images and blobs a sweep takes, on a storage. */
export function sweepRules(storage: Storage): void {
  let world: RegistryWorld;
  let store: BlobStore;

  beforeAll(async () => {
    world = await registryWorld({}, storage);
    ({ store } = world);
  });

  afterAll(() => world.close());

  const tables = ['registry_blob', 'registry_link', 'registry_manifest', 'registry_upload'] as const;

  /** As if all that there is had not been touched for two days. */
  async function age(): Promise<void> {
    for (const table of tables)
      await sql`/* across tenants */ update ${sql.table(table)} set touched_at = touched_at - interval '2 days'`.execute(
        world.api.database.kysely,
      );
  }

  const swept = () => sweep(world.api.database.kysely, store);

  describe('a sweep', () => {
    test('leaves what was touched lately, and what a tag, a list or a subject needs', async () => {
      const client = world.client();
      const tagged = await client.pushImage('tagged', 'kept');
      const listed = await client.pushImage('in a list');
      const list = await client.pushManifest(
        {
          schemaVersion: 2,
          manifests: [
            { mediaType: types.manifest, digest: listed.digest, size: JSON.stringify(listed.manifest).length },
          ],
        },
        'list',
        types.index,
      );
      const about = await client.pushManifest({
        ...tagged.manifest,
        subject: { mediaType: types.manifest, digest: tagged.digest, size: 1 },
      });
      await age();
      const fresh = await client.pushImage('pushed by its digest alone');
      const lone = blobOf('a layer whose manifest is still to come');
      await client.pushBlob(lone);
      await swept();
      for (const { digest } of [tagged, listed, list, about, fresh]) {
        expect((await client.ask('HEAD', `manifests/${digest}`)).status).toBe(200);
      }
      for (const { digest } of [tagged.layer, listed.layer, fresh.layer, lone]) {
        expect((await client.ask('GET', `blobs/${digest}`)).status).toBe(200);
      }
    });

    test('takes a list with all that only it named, what was said about it, and the files', async () => {
      const client = world.client();
      const image = await client.pushImage('in a list without a tag');
      const list = await client.pushManifest(
        {
          schemaVersion: 2,
          manifests: [{ mediaType: types.manifest, digest: image.digest, size: JSON.stringify(image.manifest).length }],
        },
        undefined,
        types.index,
      );
      const about = await client.pushManifest({
        ...image.manifest,
        subject: { mediaType: types.index, digest: list.digest, size: 1 },
      });
      await age();
      await swept();
      for (const { digest } of [image, list, about]) {
        expect((await client.ask('HEAD', `manifests/${digest}`)).status).toBe(404);
      }
      expect((await client.ask('HEAD', `blobs/${image.layer.digest}`)).status).toBe(404);
      expect(await store.blobSize(image.layer.digest)).toBeUndefined();
    });

    test('leaves an image that a release reaches until that is retired; nobody deletes it before', async () => {
      const client = world.client();
      const image = await client.pushImage('released');
      const size = JSON.stringify(image.manifest).length;
      const listOf = (mediaType: string, digest: string, size: number) => ({
        schemaVersion: 2,
        manifests: [{ mediaType, digest, size }],
      });
      const inner = listOf(types.manifest, image.digest, size);
      const list = await client.pushManifest(inner, undefined, types.index);
      const outer = listOf(types.index, list.digest, JSON.stringify(inner).length);
      const { digest } = await client.pushManifest(outer, undefined, types.index);
      const reached = [digest, list.digest, image.digest];
      const { organizationId, projectId, serviceId } = world.repository;
      const own = tenant(world.api.database.kysely, organizationId);
      const [environmentId, releaseId] = [uuid(), uuid()];
      await own
        .insertInto('environment')
        .values({
          id: environmentId,
          project_id: projectId,
          name: 'staging',
          slug: 'staging',
          namespace: 'staging',
          kind: 'persistent',
        })
        .execute();
      await own
        .insertInto('release')
        .values({
          id: releaseId,
          project_id: projectId,
          environment_id: environmentId,
          service_id: serviceId,
          number: 1,
          content: sql`${JSON.stringify({ image: { repository: world.repository.path, digest } })}::jsonb`,
          content_digest: digest,
          image_ref: digest,
          variable_keys: [],
          runs_as: 1,
          created_by: 'test',
        })
        .execute();
      await age();
      await swept();
      for (const one of reached) {
        const refused = await client.ask('DELETE', `manifests/${one}`);
        expect([refused.status, refused.code]).toEqual([403, 'DENIED']);
        expect((await client.ask('HEAD', `manifests/${one}`)).status).toBe(200);
      }
      await own.updateTable('release').set({ retired_at: new Date() }).where('id', '=', releaseId).execute();
      await swept();
      for (const one of reached) expect((await client.ask('HEAD', `manifests/${one}`)).status).toBe(404);
    });

    test('ends uploads that nobody went on with, and leaves no file of theirs', async () => {
      const client = world.client();
      const place = await client.begin();
      await client.ask('PATCH', place, { body: 'some of it' });
      await swept();
      expect((await client.ask('GET', place)).status).toBe(204);
      await age();
      await swept();
      expect((await client.ask('GET', place)).code).toBe('BLOB_UPLOAD_UNKNOWN');
      const left =
        world.bucket === undefined
          ? readdirSync(join(world.api.registryDirectory, 'drafts'))
          : await world.bucket.keys('drafts/');
      expect(left).toEqual([]);
    });

    test('does not take a blob that somebody pushes again at that moment', async () => {
      const there = await seedRepository(world.api.database, world.organization);
      const blob = blobOf('pushed again while it is swept');
      await world.client(there).pushBlob(blob);
      await age();
      const pushed = Promise.withResolvers<number>();
      await sweepRegistry(world.api.database.kysely, {
        onDraft: async () => undefined,
        onBlob: async (digest) => {
          // The row is deleted and its transaction open: this push has to wait until the file is deleted as well.
          if (digest === blob.digest) {
            void world
              .client()
              .pushBlob(blob)
              .then(({ status }) => pushed.resolve(status), pushed.reject);
          }
          await store.deleteBlob(digest);
        },
      });
      expect(await pushed.promise).toBe(201);
      expect((await world.client().ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
    });

    test('does not take a blob without a row that somebody has just pushed, and takes one that nobody has', async () => {
      const { kysely } = world.api.database;
      const pushed = blobOf('a row came meanwhile');
      await world.client().pushBlob(pushed);
      const lone = blobOf('without a row').digest;
      const taken: string[] = [];
      for (const digest of [pushed.digest, lone]) {
        await forgetUnknownBlob(kysely, digest, async (one) => void taken.push(one));
      }
      expect(taken).toEqual([lone]);
      expect(await unknownBlobs(kysely, [pushed.digest, lone])).toEqual([lone]);
    });

    test('takes what no row knows only once it is old', async () => {
      const draft = randomUUID();
      await store.createDraft(draft);
      if (world.bucket !== undefined) {
        await swept();
        expect(await store.draftSize(draft)).toBe(0);
        await sql`update registry_draft set changed_at = now() - interval '2 days'`.execute(world.api.database.kysely);
        await swept();
        expect(await store.draftSize(draft)).toBeUndefined();
        return;
      }
      writeFileSync(join(world.api.registryDirectory, 'drafts', draft), 'left over');
      const long = new Date(0);
      utimesSync(join(world.api.registryDirectory, 'drafts', draft), long, long);
      await swept();
      // Whatever its time of change says, it got its name just now.
      expect(await store.draftSize(draft)).toBe(9);
      expect(await store.draftSize(digestOf(Buffer.from('x')).slice(7, 43))).toBeUndefined();
    });
  });
}
