import type { Database } from '../../db/postgres/database.ts';
import { usedBytes } from '../../db/registry/blobs.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { RegistryError } from './registry-error.ts';

/** How large a blob may become. */
export interface Allowance {
  /** Throws when it has become too much, or will when so many bytes more have come. */
  check(size: number, more: number): Promise<void>;
}

type Limits = Pick<Settings, 'REGISTRY_BYTES_PER_BLOB' | 'REGISTRY_BYTES_PER_ORGANIZATION'>;

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
      if ((await usedBytes(database.kysely, organizationId)) + more <= REGISTRY_BYTES_PER_ORGANIZATION) return;
      throw new RegistryError(
        'DENIED',
        `The organization's images take all of its ${REGISTRY_BYTES_PER_ORGANIZATION} bytes (REGISTRY_BYTES_PER_ORGANIZATION); delete some, or ask the operator of this installation to raise it.`,
      );
    },
  };
}
