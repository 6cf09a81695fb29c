import { hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { z } from 'zod';
import { writeFileAtomically } from '../machine/files.ts';
import type { Home } from '../runtime/home/home.ts';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';

const kept = z.object({ recipient: z.string().startsWith('age1'), proof: z.string().min(1) });

/** The part of the key of backups that an installation keeps: enough to write them, not to read them. */
export interface WritingKey {
  /** Whom backups are encrypted to (`age1…`). */
  recipient: string;
  /** Proves that a backup is of an installation that knows it: a stranger with access to the place has the recipient alone. */
  proof: Buffer;
}

/** The key that opens backups: its text (`AGE-SECRET-KEY-1…`), and what follows from it. */
export interface OpeningKey extends WritingKey {
  secret: string;
}

export async function newOpeningKey(): Promise<OpeningKey> {
  return await keyOf(await generateIdentity());
}

/** From the file that somebody kept it in: other lines than the key's are comments. `-` is standard input. */
export async function readOpeningKey(path: string): Promise<OpeningKey> {
  let content: string;
  try {
    content = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new Refusal(`The key of the backups cannot be read from ${path} (${errorCode(error) || String(error)}).`);
  }
  const lines = content.split('\n').map((line) => line.trim());
  const secret = lines.find((line) => line.startsWith('AGE-SECRET-KEY-1'));
  if (secret === undefined) {
    throw new Refusal(
      `${path} holds no key of backups; it is the line AGE-SECRET-KEY-1… that \`./ballast admin backup --new-key\` printed.`,
    );
  }
  return await keyOf(secret).catch(() => {
    throw new Refusal(`The key in ${path} is incomplete or mistyped; copy the whole line.`);
  });
}

async function keyOf(secret: string): Promise<OpeningKey> {
  const recipient = await identityToRecipient(secret);
  const proof = Buffer.from(hkdfSync('sha256', secret, '', 'ballast backup manifest', 32));
  return { secret, recipient, proof };
}

export function keepWritingKey(home: Home, { recipient, proof }: WritingKey): void {
  writeFileAtomically(file(home), `${JSON.stringify({ recipient, proof: proof.toString('base64') })}\n`);
}

/** Undefined: this installation has never had one. */
export function readWritingKey(home: Home): WritingKey | undefined {
  if (!existsSync(file(home))) return undefined;
  try {
    const { recipient, proof } = kept.parse(JSON.parse(readFileSync(file(home), 'utf8')));
    return { recipient, proof: Buffer.from(proof, 'base64') };
  } catch {
    throw new Refusal(`${file(home)} is damaged; delete it, and take the next backup with --new-key.`);
  }
}

const file = (home: Home): string => home.file('keys', 'backup-key.json');
