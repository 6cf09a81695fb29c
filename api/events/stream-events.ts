import { z } from 'zod';
import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { operation } from '../engine/operation.ts';
import { seesHint } from './visible-hints.ts';

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
    '`change`: something was created, changed or deleted; fetch it again. `resync`: hints were dropped; fetch everything on display again. Nothing is replayed after a reconnection.',
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
  }),
  stream: {
    kind: 'organization',
    fasterHeartbeat: true,
    events: { change: changeSchema, resync: z.object({}).meta({ id: 'Resync' }) },
  },
  async *handle({ caller, server, signal }) {
    const reader = {
      organizationId: caller.organization.id,
      sees: (hint: HeardHint) => seesHint(caller, hint),
    };
    const changes = server.hub.subscribe(reader, signal);
    for (let hint = await changes.next(); hint !== undefined; hint = await changes.next()) {
      if (hint === 'lost') yield { event: 'resync', data: {} };
      else {
        const { kind, id, projectId } = hint;
        yield { event: 'change', data: projectId === undefined ? { kind, id } : { kind, id, projectId } };
      }
    }
  },
});
