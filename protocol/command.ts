import { z } from 'zod';
import { buildBody } from './build.ts';
import { releaseProof } from './release-proof.ts';
import { said } from './text.ts';
import { backupVolumeBody, replacedVolume, restoreVolumeBody, storedArchive } from './volume.ts';

/**
 * Things that are done once. Those that change something are written into the agent's journal before they start, so that
 * they are never done twice; those that only read are not.
 */
export const commandBody = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('exec'),
    instance: z.string(),
    command: z.array(z.string()).min(1),
    timeoutSeconds: z.int(),
  }),
  z.object({
    kind: z.literal('logs'),
    instance: z.string(),
    tail: z.int().min(0),
    follow: z.boolean(),
  }),
  z.object({ kind: z.literal('restart'), key: z.string(), process: z.string().optional() }),
  /** One more run of a process with a schedule, now. Its overlap holds for it, too. */
  z.object({ kind: z.literal('run'), key: z.string(), process: z.string() }),
  /** Deletes volumes of a workload with all that is in them: those named, or all. None may be mounted. */
  z.object({ kind: z.literal('delete-volumes'), key: z.string(), volumes: z.array(z.string()).max(1000).optional() }),
  backupVolumeBody,
  restoreVolumeBody,
  buildBody,
  z.object({
    kind: z.literal('update'),
    image: z.string(),
    digest: z.string(),
    sizeBytes: z.int(),
    /** So long has the new version to say hello; then the old one comes back. */
    confirmSeconds: z.int(),
    /** Needed unless the release is on the agent's disk already. */
    proof: releaseProof.optional(),
  }),
]);
export type CommandBody = z.infer<typeof commandBody>;

export function isJournalled(body: CommandBody): boolean {
  return body.kind !== 'logs';
}

export const command = z.object({ id: z.uuid(), attempt: z.int().min(1), body: commandBody });
export type Command = z.infer<typeof command>;

/** A piece of what a command says. Numbers begin with 0; the same one twice is the same piece. */
export const outputPiece = z.object({
  number: z.int().min(0),
  stream: z.enum(['stdout', 'stderr', 'progress']),
  /** Base64. */
  data: z.string().max(262_144),
  at: z.iso.datetime().optional(),
});
export type OutputPiece = z.infer<typeof outputPiece>;

export const outputBatch = z.object({ pieces: z.array(outputPiece).min(1).max(200) });

/**
 * `done`: it ran to its end (an exit code other than 0 is an end, too). `failed`: it could not be done. `unknown`: the
 * agent was interrupted while it ran and cannot say.
 */
export const commandResult = z.object({
  attempt: z.int().min(1),
  outcome: z.enum(['done', 'failed', 'unknown', 'cancelled']),
  exitCode: z.int().optional(),
  message: said(4000).optional(),
  /** Of a backup. */
  stored: storedArchive.optional(),
  /** Of a restore. */
  replaced: replacedVolume.optional(),
});
export type CommandResult = z.infer<typeof commandResult>;
