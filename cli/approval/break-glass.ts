import { asPerson } from '../engine/as-person.ts';
import { UsageError } from '../engine/command.ts';
import { ofTheEnvironment } from '../engine/credential.ts';
import { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { DecideGiven } from './decide.ts';

interface BreakGlassGiven extends DecideGiven {
  organization?: string | undefined;
  'session-file'?: string | undefined;
}

/** Approves in place of somebody else. Nothing about it is guessed: neither which approval, nor why. */
export async function breakGlass(given: BreakGlassGiven, id: string | undefined): Promise<void> {
  const reason = given.reason?.trim() ?? '';
  if (id === undefined) throw new UsageError('--break-glass takes the id of the approval.');
  if (reason === '') throw new UsageError('--break-glass takes --reason: why nobody else could decide.');
  if (given.refresh) throw new UsageError('--refresh decides nothing: look at what it composes, then break the glass.');
  const rest = await restOf(given);
  const approved = await rest.call<{ id: string }>('POST', `/approvals/${encodeURIComponent(id)}/break-glass`, {
    reason,
  });
  if (given.json) return void process.stdout.write(`${JSON.stringify(approved, undefined, 2)}\n`);
  process.stdout.write(
    `The approval ${printable(approved.id)} is approved by break-glass; all admins and owners are told.\n`,
  );
}

/** A token that was named counts before the session of the environment. */
async function restOf({ organization, 'session-file': given, ...address }: BreakGlassGiven): Promise<Rest> {
  const ambient = address['token-file'] === undefined ? ofTheEnvironment().sessionFile : undefined;
  const file = given ?? ambient;
  return file === undefined ? new Rest(address) : (await asPerson(file, { organization, url: address.url })).rest;
}
