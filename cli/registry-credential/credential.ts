import type { z } from 'zod';
import type { registryCredentialSchema } from '../../api/registry-credentials/operations.ts';
import { UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Credential = z.output<typeof registryCredentialSchema>;

export const credentials = '/registry-credentials';

/** The credential of this id or name; names are no two's. */
export async function namedCredential(rest: Rest, name: string): Promise<Credential> {
  const all = await rest.all<Credential>(credentials);
  const found = all.find((one) => one.id === name.toLowerCase() || one.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = all.map((one) => printable(one.name)).join(', ') || 'none';
  throw new UsageError(`There is no registry credential "${printable(name)}"; there is: ${names}.`);
}
