import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { errorCode, Refusal } from '../../runtime/supervisor/refusal.ts';
import { type Option, UsageError } from '../engine/command.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { printable } from '../engine/table.ts';
import type { Kind } from './channel.ts';

const names: Readonly<Record<Kind, string>> = { chat: 'Address of the webhook', pager: 'Routing key of the pager' };

export const secretOption = {
  'secret-file': { type: 'string', value: 'FILE', what: 'File with its secret; - is the standard input.' },
} as const satisfies Record<string, Option>;

export const secretDetails = `The secret is the address of the chat's incoming webhook, or the routing key of the pager. It is never an argument, which the
history of a shell would keep`;

/** The secret in this file, or of the standard input; at a terminal it is asked for. */
export async function readSecret(kind: Kind, file = '-'): Promise<string> {
  const secret = (file === '-' ? await given(kind) : ofFile(file)).trim();
  if (secret !== '') return secret;
  throw new UsageError(
    file === '-'
      ? 'There is no secret: give it by the standard input or by --secret-file.'
      : `The secret file ${printable(file)} is empty.`,
  );
}

/** Refuses what may be a secret that was typed as an argument, and does not repeat it. */
export function refuseArgument(words: readonly string[], label = ''): void {
  if (words.length < 2 && ![...words, label].some((word) => isAddress(word))) return;
  throw new UsageError(
    'A secret is no argument: give it by the standard input or by --secret-file, and replace one that was typed here.',
  );
}

function isAddress(word: string): boolean {
  return /^https?:/i.test(word);
}

async function given(kind: Kind): Promise<string> {
  if (canAsk()) return await hidden(`${names[kind]}: `);
  return process.stdin.isTTY ? '' : await text(process.stdin);
}

function ofFile(file: string): string {
  if (isAddress(file)) throw new UsageError('--secret-file takes the name of a file; the secret goes into it.');
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refusal(
      `The secret file ${printable(file)} cannot be read (${errorCode(error)}); give --secret-file another one.`,
    );
  }
}
