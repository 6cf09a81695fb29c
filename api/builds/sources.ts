import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { z } from 'zod';
import {
  findSource,
  linkKnownBlobs,
  missingBlobs,
  presentBlobs,
  putSource,
  sourceOfRunningBuild,
} from '../../db/builds/sources.ts';
import { usedBytes } from '../../db/registry/blobs.ts';
import type { SourceFile } from '../../domain/builds/manifest.ts';
import { linkFault, manifestFaults } from '../../domain/builds/manifest.ts';
import { isId } from '../../domain/ids.ts';
import { type FieldError, Problem } from '../../domain/problems.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { type AgentRoute, agentRoute } from '../agent-link/agent-route.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import type { BlobStore } from '../registry/storage/blob-store.ts';
import { theService } from '../services/service.ts';

export const sourceSchema = z
  .object({
    source: z.object({
      id: z.guid(),
      digest: z.string().describe('Of the manifest: the same folder has the same one.'),
      sizeBytes: z.int(),
      createdAt: z.iso.datetime(),
    }),
    missing: z
      .array(z.string())
      .describe('Digests of blobs that are to be pushed into the repository of the service, in the registry.'),
  })
  .meta({ id: 'BuildSource' });

/** Of a file: most have far fewer bytes. One of too many files is still read, so that the answer says how many there are. */
const perFile = { bytes: 1024, values: 10 };

const fileSchema = z.strictObject({
  path: z.string().max(4_096).describe('Relative to the folder, with `/` between its names.'),
  kind: z.enum(['file', 'executable', 'link']),
  size: z.int().min(0),
  digest: z.string().max(128).describe('`sha256:…` of its bytes; of a link of where it leads to, as text.'),
});

const createSource = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/sources',
  summary: 'Announce a folder as a source of builds, and learn which blobs of it are to be pushed',
  description:
    'The blobs are pushed into the repository of the service, by the protocol of the registry. Those that a service of the same project has are there already. The same folder is the same source.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['quota-reached'],
  of: theService,
  body: z.strictObject({ files: z.array(fileSchema) }),
  largeBody: ({ BUILD_SOURCE_FILES: files }) => ({ bytes: files * perFile.bytes, values: files * perFile.values + 10 }),
  result: sourceSchema,
  status: 201,
  async handle({ found: service, caller, body: { files }, effect, server: { settings } }) {
    refuseFaults(files, settings);
    const source = await putSource(effect, service, files, caller.author);
    const sizes = new Map(files.map(({ digest, size }) => [digest, size]));
    const known = await linkKnownBlobs(effect.kysely, service, [...sizes.keys()]);
    refuseOtherSizes(files, known);
    const missing = [...sizes].filter(([digest]) => !known.has(digest));
    const more = missing.reduce((sum, [, size]) => sum + size, 0);
    const used = more === 0 ? 0 : await usedBytes(effect.kysely, service.organizationId);
    if (used + more > settings.REGISTRY_BYTES_PER_ORGANIZATION) throw beyondQuota(used, more, settings);
    return { source, missing: missing.map(([digest]) => digest).toSorted() };
  },
});

function refuseFaults(files: readonly SourceFile[], settings: Settings): void {
  const { BUILD_SOURCE_FILES, BUILD_SOURCE_BYTES, REGISTRY_BYTES_PER_BLOB } = settings;
  const faults = manifestFaults(files, { files: BUILD_SOURCE_FILES, bytes: BUILD_SOURCE_BYTES });
  const errors = faults.map(({ index, field, path, message }): FieldError => {
    if (index === undefined) return { location: 'body.files', message };
    return { location: `body.files[${index}].${field}`, message: `${shown(path ?? '')} ${message}` };
  });
  const large = files.findIndex(({ size }) => size > REGISTRY_BYTES_PER_BLOB);
  if (errors.length === 0 && large !== -1) {
    const message = `${shown(files[large]?.path ?? '')} is larger than ${REGISTRY_BYTES_PER_BLOB} bytes (REGISTRY_BYTES_PER_BLOB); leave it out`;
    errors.push({ location: `body.files[${large}].size`, message });
  }
  if (errors.length > 0) throw invalidFields(errors);
}

/** Told only of blobs of the project: of others nobody learns a size here. */
function refuseOtherSizes(files: readonly SourceFile[], known: ReadonlyMap<string, number>): void {
  const index = files.findIndex(({ digest, size }) => (known.get(digest) ?? size) !== size);
  const file = files[index];
  if (file === undefined) return;
  const message = `${shown(file.path)} has ${known.get(file.digest)} bytes by its digest, and not ${file.size}; hash the folder again`;
  throw invalidField(`body.files[${index}].size`, message);
}

function beyondQuota(used: number, more: number, { REGISTRY_BYTES_PER_ORGANIZATION: most }: Settings): Problem {
  const [of, has, needs] = [most, used, more].map((bytes) => bytes.toLocaleString('en'));
  return new Problem(
    'quota-reached',
    `The folder needs ${needs} bytes more in the registry, and the organization has ${has} of its ${of} there (REGISTRY_BYTES_PER_ORGANIZATION): delete images, leave files out by .gitignore or .dockerignore, or ask the operator of this installation to raise it.`,
  );
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

const getSource = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/sources/{sourceId}',
  summary: 'Get an uploaded source of a service, and which blobs of it are still missing',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  path: z.strictObject({ id: z.guid().toLowerCase(), sourceId: z.guid().toLowerCase() }),
  result: sourceSchema,
  async handle({ found: service, path, database: { kysely } }) {
    const source = await findSource(kysely, service, path.sourceId);
    if (source === undefined) {
      throw new Problem(
        'not-found',
        'The service has no such source: one goes a day after its last build. Upload the folder again.',
      );
    }
    return { source, missing: await missingBlobs(kysely, service.organizationId, source.id) };
  },
});

export const sources = {
  createSource,
  getSource,
};

type Blobs = Pick<BlobStore, 'readBlob'>;
type FileHeader = Parameters<Pack['entry']>[0];

/** The same files make the same archive, whoever uploaded them, and when. */
const mtime = new Date(0);

/** A tar of the files, in their order. It is read as fast as somebody takes it, a piece of a blob at a time. */
export function sourceArchive(blobs: Blobs, files: readonly SourceFile[]): Readable {
  const archive = pack();
  void fill(archive, blobs, files).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return Readable.from(archive, { objectMode: false });
}

/** The first link that leads where it may not, with its fault. What a link leads to is in its blob, so the manifest alone does not tell. */
async function strayLink(
  blobs: Blobs,
  files: readonly SourceFile[],
): Promise<{ path: string; fault: string } | undefined> {
  for (const file of files) {
    if (file.kind !== 'link') continue;
    const target = await targetOf(blobs, file);
    const fault =
      target === undefined ? 'is a link to a path that is no UTF-8; remove it' : linkFault(file.path, target);
    if (fault !== undefined) return { path: file.path, fault };
  }
  return undefined;
}

async function fill(archive: Pack, blobs: Blobs, files: readonly SourceFile[]): Promise<void> {
  for (const file of files) {
    const header = { name: file.path, mtime, uid: 0, gid: 0 };
    if (file.kind === 'link') {
      const linkname = (await targetOf(blobs, file)) ?? '';
      archive.entry({ ...header, type: 'symlink', mode: 0o777, linkname });
      continue;
    }
    const mode = file.kind === 'executable' ? 0o755 : 0o644;
    await write(archive, blobs, file, { ...header, type: 'file', mode, size: file.size });
  }
  archive.finalize();
}

async function write(archive: Pack, blobs: Blobs, { digest, size }: SourceFile, header: FileHeader): Promise<void> {
  if (size === 0) return void archive.entry(header, '');
  const bytes = await blobs.readBlob(digest);
  try {
    await pipeline(bytes, archive.entry(header));
  } finally {
    // The archive may have been given up while the blob was opened.
    bytes.destroy();
  }
}

async function targetOf(blobs: Blobs, { digest, size }: SourceFile): Promise<string | undefined> {
  if (size === 0) return '';
  const bytes = await buffer(await blobs.readBlob(digest));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The uploaded folder of a build as a tar, for the agent of its cluster while it runs. To all others it is not there. */
export function sourceOfBuild(blobs: Pick<BlobStore, 'readBlob'>): AgentRoute {
  return agentRoute({
    method: 'GET',
    url: 'builds/:id/source',
    // The agent takes as long as it takes.
    waits: true,
    async handle({ server, id, reply }, { clusterId, organizationId }) {
      const { kysely } = server.database;
      const source = isId(id) ? await sourceOfRunningBuild(kysely, { clusterId, organizationId }, id) : undefined;
      if (source === undefined) {
        throw new Problem('not-found', 'No build with this id runs on this cluster, or it has no uploaded folder.');
      }
      refuseIncomplete(source.files, await presentBlobs(kysely, organizationId, source.id));
      const stray = await strayLink(blobs, source.files);
      if (stray !== undefined) {
        throw new Problem('conflict', `${JSON.stringify(stray.path)} ${stray.fault}. Then upload the folder again.`);
      }
      return await reply.type('application/x-tar').send(sourceArchive(blobs, source.files));
    },
  });
}

/** Once the first byte is sent, a failure can only break the connection. */
function refuseIncomplete(files: readonly SourceFile[], present: ReadonlyMap<string, number>): void {
  for (const { path, digest, size } of files) {
    const there = present.get(digest);
    if (there === size) continue;
    const why =
      there === undefined
        ? `is not in the registry (${digest}): it was not pushed, or was deleted there`
        : `has ${there} bytes, and ${size} were announced`;
    throw new Problem('conflict', `${JSON.stringify(path)} ${why}. Upload the folder again, then retry the build.`);
  }
}
