import { effect } from '../../db/engine/effect.ts';
import { notify } from '../../db/notifications/notify.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { clusterLost } from '../../domain/notifications/messages/cluster-lost.ts';
import type { Seeded } from '../installation/running-api.ts';
import { machine } from '../seeds/seed.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of the inbox, which only a person has. */
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
  return {
    'notifications.list': { as, prepare: lost },
    'notifications.read': {
      as,
      prepare: lost,
      body: ({ notification }) => ({ ids: [notification] }),
      personal: true,
    },
  };
}
