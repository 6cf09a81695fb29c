import type { Database } from '../../db/postgres/database.ts';
import { usedBytes } from '../../db/registry/blobs.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { RegistryError } from './registry-error.ts';

/** How large a blob may become. */
export interface Allowance {
  /** Throws when it has become too much, or will when so many bytes more have come. */
  check(size: number, more: number): Promise<void>;
  /** The same of many small blobs: only by all that the organization keeps. */
  checkRoom(more: number): Promise<void>;
}

type Limits = Pick<Settings, 'REGISTRY_BYTES_PER_BLOB' | 'REGISTRY_BYTES_PER_ORGANIZATION'>;

interface Known {
  /** All that the organization kept when it was asked, and what was announced here since. */
  bytes: number;
  at: number;
}

/** A folder is thousands of small blobs, and adding up all that there is costs more than to take one of them. */
const knownFor = 2_000;
const mostKnown = 10_000;
const known = new WeakMap<Database, Map<string, Known>>();

/** By the size of one blob, and by all that the organization keeps and is pushing at the moment. */
export function allowanceOf(database: Database, organizationId: string, limits: Limits): Allowance {
  const { REGISTRY_BYTES_PER_BLOB, REGISTRY_BYTES_PER_ORGANIZATION } = limits;
  return {
    async check(size, more) {
      if (size + more > REGISTRY_BYTES_PER_BLOB) {
        throw new RegistryError(
          'SIZE_INVALID',
          `A blob may have at most ${REGISTRY_BYTES_PER_BLOB} bytes (REGISTRY_BYTES_PER_BLOB); split the layer.`,
          { status: 413 },
        );
      }
      if (!fits(database, organizationId, size + more, REGISTRY_BYTES_PER_ORGANIZATION / 2)) await count(more);
    },
    async checkRoom(more) {
      if (!fits(database, organizationId, more, REGISTRY_BYTES_PER_ORGANIZATION / 2)) await count(more);
    },
  };

  async function count(more: number): Promise<void> {
    const bytes = await usedBytes(database.kysely, organizationId);
    remember(database, organizationId, bytes + more);
    if (bytes + more <= REGISTRY_BYTES_PER_ORGANIZATION) return;
    throw new RegistryError(
      'DENIED',
      `The organization's images take all of its ${REGISTRY_BYTES_PER_ORGANIZATION} bytes (REGISTRY_BYTES_PER_ORGANIZATION); delete some, or ask the operator of this installation to raise it.`,
    );
  }
}

/** Far from the limit what was known a moment ago will do; near it each is counted. */
function fits(database: Database, organizationId: string, more: number, most: number): boolean {
  const found = known.get(database)?.get(organizationId);
  if (found === undefined || performance.now() - found.at > knownFor || found.bytes + more > most) return false;
  found.bytes += more;
  return true;
}

function remember(database: Database, organizationId: string, bytes: number): void {
  const all = known.get(database) ?? new Map<string, Known>();
  known.set(database, all);
  if (all.size > mostKnown) all.clear();
  all.set(organizationId, { bytes, at: performance.now() });
}
