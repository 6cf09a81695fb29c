import type { Outgoing } from '../db/notification-channels/outgoing.ts';
import { type PagerEvent, sendPagerEvent } from '../outbound/channels/incident-pager.ts';
import type { ChannelMessage } from '../outbound/channels/message.ts';
import type { IncidentState } from '../workflows/incident/descriptor.ts';
import { type Attempted, attempt, failAttempts, type Says } from './attempts/attempt.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  incidentId: string;
  organizationId: string;
}

/** Activities of an incident. Each may run twice. */
export function createActivities(parts: ActivityParts) {
  const { outbound: rules, pagerUrl, publicUrl } = parts;
  const incidents = (id: string): Attempted<IncidentState> => ({
    kind: 'incident',
    gone: 'dropped',
    rests: ({ state, resolved }) => state === 'open' && !resolved,
    send: (row, routingKey, message) => sendPagerEvent(routingKey, eventOf(id, row, message), { rules, pagerUrl }),
    arrived({ state, resolved }) {
      if (state !== 'triggering') return { state: 'resolved', over: true };
      // The attempts of the resolve are counted by themselves, and begin at once.
      return resolved
        ? { state: 'resolving', over: false, attempts: 0, waitSeconds: 0 }
        : { state: 'open', over: false, attempts: 0 };
    },
    retrying: ({ state }) => (state === 'triggering' ? 'triggering' : 'resolving'),
  });

  function eventOf(id: string, { state }: Outgoing, message: ChannelMessage): PagerEvent {
    const dedupKey = `ballast-${id}`;
    if (state !== 'triggering') return { action: 'resolve', dedupKey };
    const severity = message.kind === 'failure' ? 'error' : 'warning';
    return { action: 'trigger', dedupKey, message, severity, source: new URL(publicUrl).host };
  }

  return {
    async attemptIncident({ incidentId: id, ...known }: Ref & { revision: number }): Promise<Says<IncidentState>> {
      return await attempt(parts, incidents(id), { ...known, id });
    },

    async failIncident({
      incidentId: id,
      organizationId,
      message,
    }: Ref & { message: string }): Promise<{ state: IncidentState }> {
      return await failAttempts(parts, incidents(id), { organizationId, id }, message);
    },
  };
}

export type IncidentActivities = ReturnType<typeof createActivities>;
