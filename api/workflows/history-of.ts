import type { ActorView } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { ActorHistory } from '../../temporal/history/actor-history.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** The history of an actor that the caller may see. */
export function historyOf(server: ServerParts, { kind, id, archivedAt }: ActorView): ActorHistory {
  const { database, keyring, temporal, log } = server;
  const onUnreadable = (error: Error): void => log.error({ err: error }, 'A page of the archive cannot be read');
  return new ActorHistory({ database, keyring, temporal, onUnreadable }, actorId(kind, id), archivedAt !== null);
}
