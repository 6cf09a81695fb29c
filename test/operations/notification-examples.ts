import { effect } from '../../db/engine/effect.ts';
import { notify } from '../../db/notifications/notify.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { clusterLost } from '../../domain/notifications/messages.ts';
import type { Seeded } from '../installation/running-api.ts';
import { machine } from '../seeds/seed.ts';
import { tenantRow } from '../seeds/tenant-row.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of the inbox, which only a person has, and of channels. */
export function notificationExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const as = ({ sessions }: Seeded) => sessions.owner;
  const lost = async () => {
    const { organizationId } = ours;
    const clusterId = crypto.randomUUID();
    await effect(api.database, machine, (telling) =>
      notify(telling, {
        organizationId,
        occasion: `cluster ${clusterId} lost`,
        message: clusterLost({ clusterId, name: 'Oregon' }),
        to: { admins: true },
      }),
    );
    const { id } = await tenant(api.database.kysely, organizationId)
      .selectFrom('notification')
      .select('id')
      .where('user_id', '=', ours.sessions.owner.userId)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    return { notification: id };
  };
  const channel = { kind: 'chat_webhook', label: 'Operations', secret: 'https://localhost:1/hook' };
  const created = async () => {
    const made = await api.call('POST', '/api/v1/notification-channels', { as: ours.tokens.admin, body: channel });
    return { id: String(made.body.id) };
  };
  const failing = async () => {
    const { id } = await created();
    const { organizationId } = ours;
    const retried = { notification_channel_id: id, state: 'retrying', attempts: 1 };
    await tenantRow(api.database, 'delivery', organizationId, { id: crypto.randomUUID(), ...retried });
    return { id };
  };
  return {
    'notificationChannels.list': { prepare: created },
    'notificationChannels.create': { body: () => channel },
    'notificationChannels.update': { prepare: created, body: () => ({ label: 'Night shift' }) },
    'notificationChannels.delete': { prepare: created },
    'notificationChannels.deliveries': { prepare: created },
    // A loopback address is refused, and the answer says that it did not arrive.
    'notificationChannels.test': { prepare: created },
    'notificationChannels.retry': { prepare: failing },
    'notifications.list': { as, prepare: lost },
    'notifications.read': {
      as,
      prepare: lost,
      body: ({ notification }) => ({ ids: [notification] }),
      personal: true,
    },
  };
}
