import { z } from 'zod';
import type { Source } from '../../../db/builds/sources/sources.ts';

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

export function sourceAnswer(
  { id, digest, sizeBytes, createdAt }: Source,
  missing: string[],
): z.output<typeof sourceSchema> {
  return { source: { id, digest, sizeBytes, createdAt: createdAt.toISOString() }, missing };
}
