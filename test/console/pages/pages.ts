import type { Page } from 'playwright-core';
import type { ConsolePage, Content } from './console-page.ts';

const at = (path: string) => () => `/default${path}`;

const inShop = (path: string) => () => `/default/p/shop${path}`;

const ofCluster = (path: string) => (content: Content) => `/default/clusters/${content.cluster}${path}`;

/** Chooses a repository of the connection for a new service, and waits for what is found in it. */
async function fromRepository(page: Page, repository: string, found: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Catalogue');
  await dialog.getByRole('radio', { name: 'A repository' }).check();
  const connection = dialog.getByLabel('Git connection');
  await connection.selectOption({ label: (await connection.getByText('Team').textContent()) ?? '' });
  await dialog.getByLabel('Repository', { exact: true }).fill(repository);
  await dialog.getByText(found, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Stage' }).scrollIntoViewIfNeeded();
}

/**
 * Every page there is (`web/router.test.ts` names those that are missing), and the dialogs that matter most, in the filled
 * installation of `content.ts`.
 */
export const pages: readonly ConsolePage[] = [
  { name: 'first-steps', address: at(''), heading: 'Home', shows: 'Turn on a second factor' },
  {
    name: 'home',
    address: at(''),
    heading: 'Home',
    act: (page) => page.getByRole('button', { name: 'Dismiss' }).click(),
  },
  {
    name: 'palette',
    address: at(''),
    heading: 'Home',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
    },
  },
  {
    name: 'notifications',
    address: at('/notifications'),
    heading: 'Notifications',
    shows: 'Cluster Oregon lost contact with its agent',
  },
  { name: 'projects', address: at('/p'), heading: 'Projects', shows: 'Shop' },
  {
    name: 'new-project',
    address: at('/new-project'),
    heading: 'New project',
    act: (page) => page.getByLabel('Name').fill('Counting House'),
  },
  { name: 'project', address: inShop(''), heading: 'Shop', shows: 'Release 2: held' },
  { name: 'project-settings', address: inShop('/settings'), heading: 'Shop', shows: 'Deployments at once' },
  { name: 'environment', address: inShop('/e/staging'), heading: 'Staging', shows: 'Healthy' },
  {
    name: 'new-service',
    address: inShop('/e/staging?add=true'),
    heading: 'Staging',
    act: (page) => fromRepository(page, 'shop/catalogue', 'Can be built'),
  },
  {
    name: 'new-service-unfit',
    address: inShop('/e/staging?add=true'),
    heading: 'Staging',
    act: (page) => fromRepository(page, 'shop/handbook', 'It cannot be built as it is'),
  },
  {
    name: 'environment-canvas',
    address: inShop('/e/staging?view=canvas&open=web'),
    heading: 'Staging',
    shows: 'Within the environment',
  },
  {
    name: 'staged-changes',
    address: inShop('/e/staging?changes=true'),
    heading: 'Staging',
    act: (page) => page.getByRole('dialog').getByText('Good evening').waitFor(),
  },
  { name: 'environment-deployments', address: inShop('/e/staging/deployments'), heading: 'Staging', shows: 'Live' },
  { name: 'environment-logs', address: inShop('/e/staging/logs'), heading: 'Staging', shows: 'listening' },
  {
    name: 'shared-variables',
    address: inShop('/e/staging/variables'),
    heading: 'Staging',
    shows: 'Used by shared.PAYMENT_HOST',
  },
  {
    name: 'environment-comparison',
    address: inShop('/e/staging/compare?with=production'),
    heading: 'Staging',
    shows: 'What changes from Staging to Production',
  },
  { name: 'environment-settings', address: inShop('/e/staging/settings'), heading: 'Staging', shows: 'Cluster' },
  { name: 'service', address: inShop('/e/staging/s/web'), heading: 'Web', shows: 'What runs' },
  { name: 'service-deployments', address: inShop('/e/staging/s/web/deployments'), heading: 'Web', shows: 'Live' },
  { name: 'service-logs', address: inShop('/e/staging/s/web/logs'), heading: 'Web', shows: 'listening' },
  { name: 'variables', address: inShop('/e/staging/s/web/variables'), heading: 'Web', shows: 'GREETING' },
  { name: 'processes', address: inShop('/e/staging/s/web/processes'), heading: 'Web', shows: 'Exit code 0' },
  { name: 'volumes', address: inShop('/e/staging/s/search/processes'), heading: 'Search', shows: '/data/index' },
  { name: 'service-settings', address: inShop('/e/staging/s/web/settings'), heading: 'Web', shows: 'Release command' },
  {
    name: 'deployment',
    address: ({ deployment }) => `/default/p/shop/e/staging/s/web/deployments/${deployment}`,
    heading: 'Release 1',
    shows: 'Switch',
  },
  {
    name: 'deployment-history',
    address: ({ deployment }) => `/default/p/shop/e/staging/s/web/deployments/${deployment}?show=history`,
    heading: 'Release 1',
    shows: 'Requested',
  },
  {
    name: 'deployment-changes',
    address: ({ deployment }) => `/default/p/shop/e/staging/s/web/deployments/${deployment}?show=changes`,
    heading: 'Release 1',
    shows: 'GREETING',
  },
  {
    name: 'deployment-failed',
    address: ({ failedDeployment }) => `/default/p/shop/e/staging/s/search/deployments/${failedDeployment}`,
    heading: 'Release 1',
    shows: 'exit code 3',
  },
  // The row leads to the page of the first one.
  {
    name: 'deployment-place',
    address: ({ deployment }) => `/default/deployments/${deployment}`,
    heading: 'Release 1',
  },
  { name: 'builds', address: at('/builds'), heading: 'Builds', shows: 'Build #2' },
  {
    name: 'builds-failed',
    address: at('/builds?status=failed'),
    heading: 'Builds',
    shows: 'Build #1',
  },
  { name: 'service-builds', address: inShop('/e/staging/s/web/builds'), heading: 'Web', shows: 'Build #2' },
  {
    name: 'build',
    address: ({ build }) => `/default/p/shop/e/staging/s/web/builds/${build}#L60`,
    heading: 'Build #2',
    shows: 'module-56.ts',
    act: (page) => page.evaluate('scrollTo(0, 0)'),
  },
  {
    name: 'build-failed',
    address: ({ failedBuild }) => `/default/p/shop/e/staging/s/web/builds/${failedBuild}`,
    heading: 'Build #1',
    shows: '404 Not Found',
    act: (page) => page.locator('[data-line]').first().waitFor(),
  },
  // The row leads to the page of the build.
  { name: 'build-place', address: ({ build }) => `/default/builds/${build}`, heading: 'Build #2' },
  { name: 'approvals', address: at('/approvals'), heading: 'Approvals', shows: 'Staged changes of Production' },
  {
    name: 'approval',
    address: ({ approval }) => `/default/approvals/${approval}`,
    heading: 'Staged changes of Production',
    shows: 'Checks',
  },
  { name: 'clusters', address: at('/clusters'), heading: 'Clusters', shows: 'Frankfurt' },
  {
    name: 'add-cluster',
    address: at('/clusters?add=true'),
    heading: 'Clusters',
    act: async (page) => {
      await page.getByLabel('Name').fill('Singapore');
      await page.getByRole('button', { name: 'Add cluster' }).click();
      await page.getByRole('button', { name: 'Copy the command' }).waitFor();
    },
  },
  { name: 'cluster', address: ofCluster(''), heading: 'local', shows: 'Capabilities' },
  { name: 'cluster-lost', address: ({ lostCluster }) => `/default/clusters/${lostCluster}`, heading: 'Oregon' },
  { name: 'instances', address: ofCluster('/instances'), heading: 'local', shows: 'mailer' },
  { name: 'cluster-events', address: ofCluster('/events'), heading: 'local', shows: 'An agent enrolled' },
  { name: 'agent', address: ofCluster('/agent'), heading: 'local', shows: 'Rolled back' },
  {
    name: 'log',
    address: (content) => ofCluster(`/instances/${content.instance}`)(content),
    heading: /./,
    // Requests may have reached the other of the two instances.
    shows: 'listening on port',
  },
  {
    name: 'workload-log',
    address: ofCluster('/workloads/shop/log'),
    heading: 'Log of shop',
    shows: 'order 1043 was paid',
  },
  { name: 'workflows', address: at('/workflows'), heading: 'Workflows' },
  {
    name: 'workflow',
    address: ({ workflow }) => `/default/workflows/${workflow}`,
    heading: /^Agent update/,
    shows: 'Ended:',
  },
  { name: 'members', address: at('/members'), heading: 'Members', shows: 'Radia Perlman' },
  { name: 'invitations', address: at('/members?show=invitations'), heading: 'Members', shows: 'hedy@example.com' },
  {
    name: 'invite',
    address: at('/members?invite=true'),
    heading: 'Members',
    act: (page) => page.getByLabel('E-mail').fill('dorothy@example.com'),
  },
  { name: 'teams', address: at('/teams'), heading: 'Teams', shows: 'Navigation' },
  { name: 'tokens', address: at('/tokens'), heading: 'API tokens', shows: 'Dashboards' },
  {
    name: 'token-made',
    address: at('/tokens?make=true'),
    heading: 'API tokens',
    act: async (page) => {
      await page.getByLabel('Name').fill('Backups');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('button', { name: 'Copy the secret' }).waitFor();
    },
  },
  { name: 'ci-jobs', address: at('/ci'), heading: 'CI jobs', shows: 'Releases of the shop' },
  { name: 'git', address: at('/git'), heading: 'Git', shows: 'Nothing was delivered yet' },
  {
    name: 'add-git-connection',
    address: at('/git?add=true'),
    heading: 'Git',
    act: async (page) => {
      await page.getByLabel('Label', { exact: true }).fill('Team');
      await page.getByRole('radio', { name: 'Some projects' }).check();
      await page.getByRole('checkbox', { name: 'Shop shop', exact: true }).check();
    },
  },
  {
    name: 'notification-channels',
    address: at('/notification-channels'),
    heading: 'Channels',
    shows: 'Which events go where',
  },
  {
    name: 'add-channel',
    address: at('/notification-channels?add=true'),
    heading: 'Channels',
    act: (page) => page.getByLabel('Label', { exact: true }).fill('Weekend'),
  },
  {
    name: 'notification-channel',
    address: ({ channel }) => `/default/notification-channels/${channel}`,
    heading: 'Operations',
    shows: 'Cluster Oregon lost contact with its agent',
  },
  { name: 'audit-log', address: at('/audit-log'), heading: 'Audit log' },
  { name: 'settings', address: at('/settings'), heading: 'Settings' },
  { name: 'account', address: () => '/account', heading: 'Your account' },
  { name: 'new-organization', address: () => '/new-organization', heading: /organization/ },
  { name: 'deleted', address: at('/deleted'), heading: 'Deleted', shows: 'Purged' },
  {
    name: 'deleted-organizations',
    address: () => '/deleted-organizations',
    heading: 'Deleted organizations',
    shows: 'Difference Engine',
  },
  { name: 'sign-in-settings', address: () => '/oidc/account', heading: /./ },
  {
    name: 'sign-in',
    address: () => '/sign-in',
    heading: /./,
    act: async (page) => {
      await page.getByRole('button', { name: /sign in/i }).click();
      await page.getByLabel('Password').waitFor();
    },
    anonymous: true,
  },
  { name: 'invitation', address: ({ invitation }) => `/invitations/${invitation}`, heading: /./, anonymous: true },
];
