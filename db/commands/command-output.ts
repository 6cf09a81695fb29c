import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';

export interface OutputView {
  number: number;
  stream: 'stdout' | 'stderr' | 'progress';
  data: Buffer;
  at: Date | null;
}

export interface NewOutput {
  number: number;
  stream: 'stdout' | 'stderr' | 'progress';
  data: Buffer;
  at: Date | null;
}

/** From this piece on it is looked how much a command has said, now and then, since counting takes longer each time. */
const manyPieces = 2_000;
const lookedAtEvery = 10;
const mostPieces = 1_000_000;
export const mostOutputBytes = 256 * 1024 * 1024;

/** Whether a command has said more than is kept of any. */
export async function saidTooMuch(kysely: Kysely<Tables>, commandId: string, number: number): Promise<boolean> {
  if (number >= mostPieces) return true;
  // By chance, so that nobody can tell when.
  if (number < manyPieces || Math.random() * lookedAtEvery > 1) return false;
  const row = await kysely
    .selectFrom('command_output')
    .select(sql<number>`coalesce(sum(octet_length(data)), 0)::float8`.as('bytes'))
    .where('command_id', '=', commandId)
    .executeTakeFirst();
  return (row?.bytes ?? 0) > mostOutputBytes;
}

interface Owner {
  id: string;
  organizationId: string;
}

/** Programs print passwords and rows of customers, so output is sealed like the command itself. */
const boundTo = (commandId: string, number: number) => `command_output:${commandId}:${number}`;

/** Keeps pieces of a command's output. Answers those that were not there yet. */
export async function writeOutput(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'encryptSecret'>,
  { id, organizationId }: Owner,
  pieces: readonly NewOutput[],
): Promise<NewOutput[]> {
  const rows = await Promise.all(
    pieces.map(async ({ data, ...piece }) => ({
      ...piece,
      command_id: id,
      organization_id: organizationId,
      sealed: true,
      data: await keyring.encryptSecret(organizationId, boundTo(id, piece.number), data.toString('base64')),
    })),
  );
  const inserted = await kysely
    .insertInto('command_output')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['command_id', 'number']).doNothing())
    .returning('number')
    .execute();
  const fresh = new Set(inserted.map(({ number }) => number));
  return pieces.filter(({ number }) => fresh.has(number));
}

/** Pieces of a command's output after the given number (-1: from the beginning), in order. */
export async function readOutput(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { id, organizationId }: Owner,
  after: number,
  limit = 200,
): Promise<OutputView[]> {
  const rows = await kysely
    .selectFrom('command_output')
    .select(['number', 'stream', 'data', 'at', 'sealed'])
    .where('command_id', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return await Promise.all(
    rows.map(async ({ data, sealed, ...row }) => {
      // Output that 0.1.0 kept in clear is read for the day that it has left.
      if (!sealed) return { ...row, data };
      const text = await keyring.decryptSecret(organizationId, boundTo(id, row.number), data);
      return { ...row, data: Buffer.from(text, 'base64') };
    }),
  );
}

/** A day after a command has finished nobody reads any more what it said. */
export async function sweepCommandOutput(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`created_at < now() - interval '1 day' and not exists (
    select from cluster_command command
    where command.id = command_id and (command.finished_at is null or command.finished_at > now() - interval '1 day'))`;
  return await deleteInBatches(kysely, { table: 'command_output', where, along: sql.ref('created_at'), signal });
}

/** A month after they finished commands themselves are forgotten. */
export async function sweepCommands(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`finished_at < now() - interval '30 days' and not exists (
    select from command_output piece where piece.command_id = id)`;
  return await deleteInBatches(kysely, { table: 'cluster_command', where, along: sql.ref('finished_at'), signal });
}
