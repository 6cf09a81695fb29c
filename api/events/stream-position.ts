import { z } from 'zod';
import { openCursor, sealCursor } from '../../db/engine/cursors.ts';
import type { FeedPosition } from '../../db/engine/feed/replay.ts';
import type { Caller } from '../engine/caller.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

const positionSchema = z.strictObject({ snapshot: z.string(), at: z.number() });
/** With more open transactions than fit, there is no position, and the reader fetches again. */
const longestText = 1_500;

/** Where the caller was read, as text that only we can make and only the same person can use. */
export function sealedPosition({ keyring }: ServerParts, caller: Caller): string | undefined {
  const { readIn } = caller;
  if (readIn === undefined || readIn.snapshot.length > longestText) return undefined;
  const { snapshot, at } = readIn;
  return sealCursor(keyring.cursorKey(), { ...bindingOf(caller), after: { snapshot, at } });
}

/** The position; undefined where it is none of ours. */
export function openedPosition({ keyring }: ServerParts, caller: Caller, text: string): FeedPosition | undefined {
  return positionSchema.safeParse(openCursor(keyring.cursorKey(), text, bindingOf(caller))).data;
}

function bindingOf(caller: Caller) {
  return { operation: 'the position of a stream', organizationId: caller.id, filters: null };
}
