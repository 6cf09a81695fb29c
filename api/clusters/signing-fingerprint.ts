import type { Kysely } from 'kysely';
import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { fingerprintOf, trust } from '../../protocol/release-proof.ts';
import { currentKey } from '../../protocol/verify-proof.ts';

/** Of the key that has signed the release that is offered; nothing as long as there is none. */
export async function signingFingerprint(kysely: Kysely<Tables>): Promise<string | undefined> {
  const keys = trust.safeParse((await currentRelease(kysely))?.proof).data;
  return keys === undefined ? undefined : fingerprintOf(currentKey(keys));
}
