import { v7 as uuid } from 'uuid';
import { type Author, effect } from '../../db/engine/effect.ts';
import { type NotificationContent, notify } from '../../db/notifications/notify.ts';
import type { Database } from '../../db/postgres/database.ts';
import { approvalRequested, deploymentFailed, deploymentLive } from '../../domain/notifications/messages.ts';

/** Members of one organization; any of them may ask for something. */
export interface People {
  organizationId: string;
  admins: readonly string[];
  others: readonly string[];
}

/** By person: the occasions that are to be in the inbox. */
export type Inboxes = ReadonlyMap<string, Set<string>>;

interface Event {
  told: NotificationContent;
  /** By the specification's table of events, in other words than `Recipients`. */
  recipients: ReadonlySet<string>;
}

/** Of ten events three are failures in production, three are live there, two are failures elsewhere and two are approvals. */
function eventOf(number: number, name: string, { organizationId, admins, others }: People): Event {
  const everybody = [...admins, ...others];
  const person = everybody[(number * 7) % everybody.length] ?? '';
  const requester: Pick<Author, 'kind' | 'id'> = { kind: 'user', id: person };
  const occasion = `${name} ${number}`;
  const place = { projectId: uuid(), environmentId: uuid(), environment: 'Production' };
  const kind = number % 10;
  if (kind >= 8) {
    const asked = { ...place, approvalId: uuid(), kind: 'change-set' as const, requestedBy: 'Ada', reason: occasion };
    const to = { admins: true as const, except: requester };
    const recipients = new Set(admins.filter((admin) => admin !== person));
    return { told: { organizationId, occasion, message: approvalRequested(asked), to }, recipients };
  }
  const ended = {
    ...{ ...place, environment: kind >= 6 ? 'Staging' : 'Production', deploymentId: uuid(), serviceId: uuid() },
    ...{ service: 'billing', releaseNumber: number, reason: 'The process "web" exited with code 1 after 1.5 s.' },
  };
  const message = kind >= 3 && kind < 6 ? deploymentLive(ended) : deploymentFailed(ended);
  const to = { requester, ...(kind < 3 ? { admins: true as const } : {}) };
  return {
    told: { organizationId, occasion, message, to },
    recipients: new Set(kind < 3 ? [person, ...admins] : [person]),
  };
}

/** Has so many events happen, each in an effect of its own, by several writers at once. Answers who is to have what. */
export async function burst(
  database: Database,
  people: People,
  { events, writers, name = 'event' }: { events: number; writers: number; name?: string },
): Promise<Inboxes> {
  const inboxes = new Map([...people.admins, ...people.others].map((id) => [id, new Set<string>()]));
  const author: Author = { kind: 'actor', id: `deployment/${uuid()}`, name: 'deployment' };
  let next = 0;
  const write = async () => {
    while (next < events) {
      const { told, recipients } = eventOf(next++, name, people);
      await effect(database, author, (telling) => notify(telling, told));
      for (const id of recipients) inboxes.get(id)?.add(told.occasion);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return inboxes;
}
