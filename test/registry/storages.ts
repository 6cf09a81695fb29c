import { bucketsAreThere } from './bucket.ts';

export type Storage = 'disk' | 's3';

/** Where a registry may keep its blobs, as far as this machine has it. */
export const storages: readonly Storage[] = bucketsAreThere ? ['disk', 's3'] : ['disk'];

const partBytes = 8 * 1024 * 1024;

/** How much of a body that has not ended is there for good: on disk all of it, in a bucket whole parts. */
export function standsOf(storage: Storage, bytes: number): number {
  return storage === 'disk' ? bytes : Math.floor(bytes / partBytes) * partBytes;
}
