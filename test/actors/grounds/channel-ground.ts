import { v7 as uuid } from 'uuid';
import { effect } from '../../../db/engine/effect.ts';
import { listDeliveries } from '../../../db/notification-channels/deliveries.ts';
import {
  createNotificationChannel,
  findNotificationChannel,
  type NotificationChannelView,
} from '../../../db/notification-channels/notification-channels.ts';
import { type IncidentSubject, resolveIncidents } from '../../../db/notification-channels/tell-channels.ts';
import { notify } from '../../../db/notifications/notify.ts';
import { type ChannelKind, defaultEvents } from '../../../domain/notifications/notifications.ts';
import { seedOrganization } from '../../seeds/seed.ts';
import { type ActorsGround, tester } from '../actors.ts';

export const routingKey = 'R0UTINGKEY0123456789abcdefABCDEF';

/** An organization with channels, and events that reach them. */
export interface ChannelGround {
  organizationId: string;
  channel(kind: ChannelKind, secret: string): Promise<NotificationChannelView>;
  /** An event that a chat hears of, and a pager if it says about what; answers its title. */
  happen(about?: IncidentSubject): Promise<string>;
  wellAgain(about: IncidentSubject): Promise<void>;
  now(channel: Pick<NotificationChannelView, 'id'>): Promise<NotificationChannelView>;
  /** Newest first. */
  sent(channel: Pick<NotificationChannelView, 'id'>): ReturnType<typeof listDeliveries>;
  /** Tells actors what waits to be told. */
  deliver(): Promise<void>;
}

/** Without a delivery nothing is told to actors. */
export async function channelGround({
  database,
  keyring,
  delivery,
}: Pick<ActorsGround, 'database' | 'keyring'> & { delivery?: ActorsGround['delivery'] }): Promise<ChannelGround> {
  const organizationId = await seedOrganization(database);
  const sent = ({ id }: { id: string }) => listDeliveries(database.kysely, organizationId, id, { limit: 1_000 });
  let number = 0;
  return {
    organizationId,
    sent,
    channel: (kind, secret) =>
      effect(database, tester, (creating) =>
        createNotificationChannel(creating, keyring, organizationId, {
          ...{ kind, label: `Channel ${uuid()}`, events: defaultEvents[kind], secret },
        }),
      ),
    async happen(about) {
      number += 1;
      const title = `Event ${number}`;
      await effect(database, tester, (happening) =>
        notify(happening, {
          organizationId,
          occasion: title,
          message: { kind: 'failure', title, body: 'It failed.', link: { type: 'cluster', clusterId: uuid() } },
          to: {},
          channels: { chat: true, ...(about === undefined ? {} : { incident: about }) },
        }),
      );
      return title;
    },
    wellAgain: (about) => effect(database, tester, (mending) => resolveIncidents(mending, organizationId, about)),
    async now({ id }) {
      const found = await findNotificationChannel(database.kysely, organizationId, id);
      if (found === undefined) throw new Error('The channel is not there.');
      return found;
    },
    async deliver() {
      const told = database.kysely.selectFrom('outbox').select('actor_id').distinct();
      for (const { actor_id: actor } of await told.where('organization_id', '=', organizationId).execute()) {
        await delivery?.deliver(actor);
      }
    },
  };
}
