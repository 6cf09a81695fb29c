import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import type { WritingKey } from './backup-key.ts';

/** An encrypted file of a backup, as it lies in the place. */
const file = z.object({
  file: z.string().regex(/^[a-z0-9.-]{1,60}$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.infer<typeof file>;

/** `backup.json`, which is written last: a backup without one is not complete, and is not one. */
const content = z.object({
  format: z.literal(1),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Version of the Ballast that wrote it. */
  version: z.string(),
  recipient: z.string(),
  /** Of the embedded PostgreSQL, whose files fit that major version and such machines. */
  postgres: z.object({ major: z.int(), machine: z.string() }).optional(),
  /** Whether the rows are in a PostgreSQL of one's own, and whether Temporal is one's own, which the backup has nothing of. */
  ownDatabase: z.boolean(),
  ownTemporal: z.boolean(),
  files: z.object({
    home: file,
    postgres: file.optional(),
    rows: file.optional(),
    /** Which images: a line each. Left out where they are in a bucket. */
    images: file.optional(),
  }),
  images: z.object({ count: z.int(), bytes: z.int() }).optional(),
});
export type Manifest = z.infer<typeof content>;

const signed = z.object({ manifest: z.unknown(), proof: z.string() });

export function writeManifest(manifest: Manifest, { proof }: WritingKey): string {
  return `${JSON.stringify({ manifest, proof: proofOf(manifest, proof) }, undefined, 2)}\n`;
}

/**
 * Reads one. Without a key nothing is proved: whoever may write to the place may have replaced it. Throws for one that this
 * version does not understand, or that the key does not prove.
 */
export function readManifest(text: string, title: string, key?: WritingKey): Manifest {
  const { manifest, proof } = parsed(signed, text, title);
  const format = z.object({ format: z.int() }).safeParse(manifest).data?.format;
  if (format !== undefined && format > 1)
    throw new Refusal(`${title} was written by a newer Ballast (format ${format}); use that version.`);
  const known = content.safeParse(manifest);
  if (!known.success) throw damaged(title);
  if (key === undefined) return known.data;
  if (known.data.recipient !== key.recipient) {
    throw new Refusal(
      `${title} was encrypted to ${known.data.recipient}, and this key opens those to ${key.recipient}; find the key that was printed for it.`,
    );
  }
  const [is, should] = [Buffer.from(proof, 'hex'), Buffer.from(proofOf(manifest, key.proof), 'hex')];
  if (is.length !== should.length || !timingSafeEqual(is, should)) {
    throw new Refusal(
      `${title} was changed after it was written, or was written by somebody else: it is not used. Take another backup.`,
    );
  }
  return known.data;
}

function proofOf(manifest: unknown, key: Buffer): string {
  return createHmac('sha256', key).update(JSON.stringify(manifest)).digest('hex');
}

function parsed<T>(schema: z.ZodType<T>, text: string, title: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw damaged(title);
  }
}

const damaged = (title: string): Refusal => new Refusal(`${title} is damaged; take another backup.`);
