import { effect } from '../../db/engine/effect.ts';
import { notify } from '../../db/notifications/notify.ts';
import type { Database } from '../../db/postgres/database.ts';
import {
  approvalRequested,
  clusterLost,
  deploymentFailed,
  deploymentLive,
} from '../../domain/notifications/messages.ts';
import { machine } from '../seeds/seed.ts';

/** An entry of each kind in the inboxes of the administrators, and what channels hear of these. */
export async function fillInbox(
  database: Database,
  organizationId: string,
  { lostCluster, approval, deployment }: { lostCluster: string; approval: string; deployment: string },
): Promise<void> {
  const shop = { projectId: crypto.randomUUID(), environmentId: crypto.randomUUID(), environment: 'Production' };
  const web = { serviceId: crypto.randomUUID(), service: 'Web' };
  const ended = { ...shop, ...web, deploymentId: deployment };
  const messages = [
    deploymentLive({ ...ended, releaseNumber: 6, reason: '' }),
    deploymentFailed({ ...ended, releaseNumber: 7, reason: 'The process web ended with exit code 1.' }),
    approvalRequested({
      ...{ ...shop, approvalId: approval, service: { id: web.serviceId, name: 'Web' }, kind: 'promote' },
      ...{ requestedBy: 'Katherine Johnson', reason: 'The new prices.' },
    }),
    clusterLost({ clusterId: lostCluster, name: 'Oregon' }),
  ];
  for (const message of messages) {
    const occasion = `filled ${message.title}`;
    const incident = message.kind === 'failure' && ({ incident: 'deployments of Web in Production' } as const);
    await effect(database, machine, (telling) =>
      notify(telling, {
        ...{ organizationId, occasion, message, to: { admins: true } },
        channels: { chat: true, ...incident },
      }),
    );
  }
}
