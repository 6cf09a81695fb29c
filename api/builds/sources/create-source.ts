import { z } from 'zod';
import { linkKnownBlobs } from '../../../db/builds/sources/known-blobs.ts';
import { putSource } from '../../../db/builds/sources/sources.ts';
import { usedBytes } from '../../../db/registry/blobs.ts';
import { manifestFaults } from '../../../domain/builds/manifest.ts';
import type { SourceFile } from '../../../domain/builds/source-file.ts';
import { type FieldError, Problem } from '../../../domain/problems.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { invalidFields } from '../../engine/input/input.ts';
import { operation } from '../../engine/operation.ts';
import { servicePath, theService } from '../../services/service.ts';
import { sourceAnswer, sourceSchema } from './source.ts';

/** Of a file: most have far fewer bytes. One of too many files is still read, so that the answer says how many there are. */
const perFile = { bytes: 1024, values: 10 };

const fileSchema = z.strictObject({
  path: z.string().max(4_096).describe('Relative to the folder, with `/` between its names.'),
  kind: z.enum(['file', 'executable', 'link']),
  size: z.int().min(0),
  digest: z.string().max(128).describe('`sha256:…` of its bytes; of a link of where it leads to, as text.'),
});

export const createSource = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/sources',
  summary: 'Announce a folder as a source of builds, and learn which blobs of it are to be pushed',
  description:
    'The blobs are pushed into the repository of the service, by the protocol of the registry. Those that a service of the same project has are there already. The same folder is the same source.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'quota-reached'],
  path: servicePath,
  body: z.strictObject({ files: z.array(fileSchema) }),
  largeBody: ({ BUILD_SOURCE_FILES: files }) => ({ bytes: files * perFile.bytes, values: files * perFile.values + 10 }),
  result: sourceSchema,
  status: 201,
  async handle({ caller, path, body: { files }, effect, server: { settings } }) {
    const service = await caller.see(theService, path.id, effect.kysely);
    refuseFaults(files, settings);
    const source = await putSource(effect, service, files, caller.author);
    const sizes = new Map(files.map(({ digest, size }) => [digest, size]));
    const known = await linkKnownBlobs(effect.kysely, service, [...sizes.keys()]);
    refuseOtherSizes(files, known);
    const missing = [...sizes].filter(([digest]) => !known.has(digest));
    const more = missing.reduce((sum, [, size]) => sum + size, 0);
    const used = more === 0 ? 0 : await usedBytes(effect.kysely, service.organizationId);
    if (used + more > settings.REGISTRY_BYTES_PER_ORGANIZATION) throw beyondQuota(used, more, settings);
    return sourceAnswer(source, missing.map(([digest]) => digest).toSorted());
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
  throw invalidFields([{ location: `body.files[${index}].size`, message }]);
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
