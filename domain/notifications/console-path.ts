import type { NotificationLink } from './notifications.ts';

/** The path of its subject in the console, beneath the public address. The inbox, where it has none. */
export function consolePath(organization: string, { type, tab, ...ids }: NotificationLink): string {
  if (type === 'guard') return `/${organization}`;
  const subjects: Record<Exclude<NotificationLink['type'], 'guard'>, [page: string, id: string | undefined]> = {
    approval: ['approvals', ids.approvalId],
    deployment: ['deployments', ids.deploymentId],
    build: ['builds', ids.buildId],
    cluster: ['clusters', ids.clusterId],
    volume_backup: ['workflows', ids.volumeBackupId],
  };
  // Another version may have written it, and know more types.
  const [page, id] = subjects[type] ?? [];
  if (id === undefined) return `/${organization}/notifications`;
  return [`/${organization}`, page, id, ...(tab === undefined ? [] : [tab])].join('/');
}
