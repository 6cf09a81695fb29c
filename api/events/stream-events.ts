import { z } from 'zod';
import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { isVisibleIn, missedSince } from '../../db/engine/feed/replay.ts';
import { operation } from '../engine/operation.ts';
import { HintPace } from './hint-pace.ts';
import { openedPosition } from './stream-position.ts';
import { seesHint, toldHint } from './visible-hints.ts';

const changeSchema = z
  .object({
    kind: z.string().describe('What kind of thing changed, as in `team`.'),
    id: z.string().describe('Which one.'),
    projectId: z.string().optional().describe('The project it belongs to, if it belongs to one.'),
  })
  .meta({ id: 'Change' });

export const streamEvents = operation({
  method: 'GET',
  url: '/api/v1/events/stream',
  summary: 'Stream the changes of the organization',
  description:
    '`change`: something was created, changed or deleted; fetch it again. `resync`: hints were dropped; fetch everything on display again. Nothing is replayed without `after`. Of your notifications, and of each channel, `change` tells at most once a second, and always after the last change.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    heartbeat: z
      .int()
      .min(1)
      .max(15)
      .optional()
      .describe(
        'Seconds between heartbeats while nothing happens, for a reader that must notice a dead stream sooner.',
      ),
    after: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'The `position` of a session: the stream begins with the changes since, or with `resync` where these are too many or the position is older than an hour.',
      ),
  }),
  stream: {
    kind: 'organization',
    fasterHeartbeat: true,
    events: { change: changeSchema, resync: z.object({}).meta({ id: 'Resync' }) },
  },
  async *handle({ caller, query, database, server, signal }) {
    const reader = {
      organizationId: caller.organization.id,
      sees: (hint: HeardHint) => seesHint(caller, hint),
    };
    // Subscribed before the feed is read, so that nothing falls between the two.
    const changes = server.hub.subscribe(reader, signal);
    const pace = new HintPace(server.clocks.hintPace, (held) => changes.push(held));
    signal.addEventListener('abort', () => pace.end(), { once: true });
    let isKnown = (_: HeardHint): boolean => false;
    if (query.after !== undefined) {
      const position = openedPosition(server, caller, query.after);
      const missed = position && (await missedSince(database.kysely, caller.organization.id, position));
      if (missed === undefined) yield { event: 'resync', data: {} };
      else {
        for (const hint of missed.hints) {
          const told = toldHint(caller, hint);
          if (reader.sees(hint) && pace.lets(told)) yield changeOf(told);
        }
        const isVisible = isVisibleIn(missed.snapshot);
        isKnown = ({ transactionId }) => transactionId !== undefined && isVisible(transactionId);
      }
    }
    for (let hint = await changes.next(); hint !== undefined; hint = await changes.next()) {
      if (hint === 'lost') yield { event: 'resync', data: {} };
      else if (!isKnown(hint)) {
        const told = toldHint(caller, hint);
        if (pace.lets(told)) yield changeOf(told);
      }
    }
  },
});

function changeOf({ kind, id, projectId }: HeardHint) {
  return { event: 'change' as const, data: projectId === undefined ? { kind, id } : { kind, id, projectId } };
}
