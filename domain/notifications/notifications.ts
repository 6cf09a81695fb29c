/** Kinds of notifications; channels subscribe to these. */
export const notificationKinds = ['approval', 'failure', 'warning', 'deploy'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** The subject of a notification, and so the page that it opens. */
export const linkTypes = ['approval', 'deployment', 'build', 'cluster', 'guard'] as const;

export interface NotificationLink {
  type: (typeof linkTypes)[number];
  approvalId?: string;
  buildId?: string;
  clusterId?: string;
  deploymentId?: string;
  environmentId?: string;
  /** Of the first page, which shows it. */
  guardLooseningId?: string;
  projectId?: string;
  serviceId?: string;
  /** Of its subject's page, where that has tabs. */
  tab?: 'agent';
}

/** One event as people read it, wherever it is shown. */
export interface NotificationMessage {
  kind: NotificationKind;
  title: string;
  body: string;
  link: NotificationLink;
}

/** For so long an entry is kept, and of each person's inbox in an organization only so many of the newest. */
export const keptDays = 90;
export const mostKept = 1_000;

/** The inbox shows so many, and a badge no more than that. */
export const inboxSize = 50;
export const mostUnreadShown = 99;
