import type { z } from 'zod';
import type { gitConnectionSchema } from '../../api/git-connections/git-connection.ts';
import { UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Connection = z.output<typeof gitConnectionSchema>;

export const connections = '/git-connections';

export async function listConnections(rest: Rest): Promise<Connection[]> {
  return await rest.all<Connection>(connections);
}

/** The connection of this id or label; labels are no two's. */
export async function namedConnection(rest: Rest, name: string): Promise<Connection> {
  const all = await listConnections(rest);
  const found = all.find(({ id, label }) => id === name.toLowerCase() || label.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const labels = all.map(({ label }) => printable(label)).join(', ') || 'none';
  throw new UsageError(`There is no Git connection "${printable(name)}"; there is: ${labels}.`);
}

/** Whether it can be used, by the last check. */
export function stateOf({ lastError, missingPermissions, verifiedAt }: Connection): string {
  if (lastError !== '') return 'failing';
  if (missingPermissions.length > 0) return 'lacks rights';
  // A host that only serves git tells nothing of a token by itself.
  return verifiedAt === undefined ? 'token not checked' : 'working';
}

/** Why it fails, or what its token lacks; empty where there is nothing to say. */
export function troubleOf({ lastError, missingPermissions }: Connection): string {
  if (lastError !== '') return lastError;
  return missingPermissions.length > 0 ? `The token lacks ${missingPermissions.join(', ')}.` : '';
}
