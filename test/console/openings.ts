import type { Page } from 'playwright-core';

/** A dialog or a menu on a page, open. */
export interface Opening {
  name: string;
  open: (page: Page) => Promise<void>;
}

/** Dialogs and menus: what else is on the page is behind them. */
export const opened = '[role="dialog"], [role="alertdialog"], [role="menu"]';

const button = (name: string | RegExp, wanted = opened): Opening => ({
  name: String(name),
  open: async (page) => {
    await page.getByRole('button', { name, exact: true }).first().click();
    await page.locator(wanted).first().waitFor();
  },
});

/** A menu, and the dialog of each of its items that asks something. */
const menu = (label: string, ...items: string[]): Opening[] => [
  button(label, '[role="menu"]'),
  ...items.map((item) => ({
    name: `${label}, ${item}`,
    open: async (page: Page) => {
      await page.getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await page.locator('[role="dialog"], [role="alertdialog"]').waitFor();
    },
  })),
];

/** By the name of the page (`pages.ts`), in the installation of `content.ts`. */
export const openings: Readonly<Record<string, readonly Opening[]>> = {
  home: [
    button(/^You are /),
    button(/^Organization .*; switch$/),
    {
      name: 'shortcuts',
      open: async (page) => {
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      },
    },
  ],
  project: [button('New environment'), button('Promote to Staging')],
  'project-settings': [button('Rename'), button('Describe'), button('Change limit'), button('Delete')],
  environment: [
    button('New service'),
    ...menu('Actions for Web', 'Suspend'),
    ...menu('More about the staged changes', 'Discard all'),
  ],
  'environment-canvas': [button('Suspend')],
  'shared-variables': [
    ...menu('Actions for REGION', 'Change', 'History'),
    ...menu('Actions for SUPPORT_KEY', 'Change').slice(1),
    button('Add a variable'),
    button('Import'),
  ],
  'environment-settings': [button('Rename'), button('Change the branch'), button('Clone'), button('Delete')],
  variables: [
    ...menu('Actions for GREETING', 'Change', 'History', 'Put into a file'),
    ...menu('Actions for config/app.yml', 'Change'),
    ...['Add a variable', 'Import', 'Add a file'].map((name) => button(name)),
  ],
  volumes: menu('Actions for the volume index', 'Grow', 'Delete'),
  processes: [
    ...menu('Actions for web', 'Scale', 'Change command and port', 'Change resources', 'Change checks', 'Change times'),
    ...menu('Actions for web', 'Add a volume', 'Restart', 'Delete').slice(1),
    ...menu('Actions for nightly', 'Change the schedule'),
    button('Run now'),
    button('Add a process'),
  ],
  builds: menu('Actions for build #2 of Web', 'Retry'),
  'service-builds': menu('Actions for build #2', 'Retry'),
  'build-failed': [button('Retry')],
  deployment: menu('Actions for this deployment', 'Redeploy', 'Promote to Production'),
  'deployment-failed': menu('Actions for this deployment', 'Rerun from the stage Start', 'Rerun'),
  'deployment-changes': menu('Actions for this change set', 'Revert'),
  approval: [button('Approve'), button('Reject')],
  clusters: [button('Add a cluster')],
  cluster: menu('Actions for local', 'Change name and region', 'Replace the agent', 'Revoke the agent', 'Delete'),
  agent: [button('Update the agent')],
  members: [
    ...menu('Actions for Radia Perlman', 'Remove'),
    button('Role of Radia Perlman: Viewer', '[role="menu"]'),
    button('Invite'),
  ],
  invitations: menu('Actions for the invitation of hedy@example.com', 'Create a new link', 'Revoke'),
  teams: [...menu('Actions for Engines', 'Rename', 'Change members', 'Delete'), button('Create a team')],
  tokens: [...menu('Actions for Dashboards', 'Revoke'), button('Create a token')],
  'ci-jobs': [
    ...menu('Actions for Releases of the shop', 'Show the job file', 'Change', 'Delete'),
    button('Trust jobs'),
  ],
  git: [button('Connect a host')],
  'notification-channels': [
    ...menu('Actions for Operations', 'Test', 'Edit', 'Disable', 'Delete'),
    button('Add a channel'),
  ],
  'audit-log': [button('Export what is shown')],
  account: menu('Actions for Analytical Engines', 'Leave'),
  deleted: [
    ...menu('Actions for Difference Engine', 'Restore', 'Purge now'),
    ...menu('Actions for Trial of May', 'Restore').slice(1),
  ],
  'deleted-organizations': menu('Actions for Difference Engine', 'Restore', 'Purge now'),
  'service-settings': [
    button('Rename'),
    button('Change the source'),
    button('Change the release command'),
    button('Delete'),
    button('Remove'),
  ],
  settings: [
    button('Change the name'),
    button('Change the join command lifetime'),
    button('Change the expiry of approvals'),
    button('Change the retention of deleted data'),
    button('Require it'),
    button('Delete organization'),
  ],
};
