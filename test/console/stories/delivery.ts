import { expect, test } from 'vitest';
import { askedBy } from '../asked.ts';
import { pushSample } from '../delivery.ts';
import { fromProjectToAddress, hand } from '../first-address.ts';
import { heading, routed, row, said } from '../on-page.ts';
import type { Stories } from './world.ts';

export const deliveryStories: Stories = (world) => {
  test('a new project is made and followed to its address on one page, in at most ten clicks and two fields', async () => {
    await fromProjectToAddress(world());
  });

  test('what others stage meanwhile is shown before it is deployed, and nothing typed is lost', async () => {
    const { opened, ada, means } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { items } = await asked('GET', '/projects?q=Bakery');
    const [project] = items as { id: string }[];
    const { items: services } = await asked('GET', `/projects/${project?.id}/services`);
    const [web] = services as { id: string }[];
    const { items: environments } = await asked('GET', `/projects/${project?.id}/environments`);
    const staging = (environments as { id: string; slug: string }[]).find(({ slug }) => slug === 'staging')?.id;
    const stage = (key: string, value: string) =>
      asked('PUT', `/environments/${staging}/change-set/items`, {
        kind: 'variable.set',
        serviceId: web?.id,
        key,
        value,
      });

    // The steps after this one show nothing of the time for which a new instance is watched.
    const { items: processes } = await asked('GET', `/services/${web?.id}/processes`);
    const [process] = processes as { id: string }[];
    await asked('PATCH', `/processes/${process?.id}`, { stabilizationSeconds: 0 });
    const nightly = { name: 'nightly', kind: 'cron', schedule: '0 3 1 1 *', args: ['-once'] };
    await asked('POST', `/services/${web?.id}/processes?environmentId=${staging}`, nightly);

    await ada.go('/default/p/bakery/e/staging/s/web/variables');
    await page.getByRole('button', { name: 'Add a variable' }).first().click();
    await page.getByLabel('Key').fill('GREETING');
    await page.getByLabel('Value').fill('Good morning');
    await page.getByRole('button', { name: 'Stage', exact: true }).click();
    await said(page, 'GREETING staged');
    await row(page, 'Variables', 'GREETING').getByText('staged').waitFor();

    await page.getByRole('button', { name: 'Review and deploy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Staged changes of Staging' });
    await dialog.getByLabel('Message').fill('Say good morning');
    means(/changeSets\.applyDraft: 409$/);
    // The page must not have heard of it yet when the button is pressed.
    await page.route('**/api/v1/events/stream*', (route) => route.abort());
    await routed(page, '**/trpc/changeSets.applyDraft*', async (route) => {
      await page.unroute('**/trpc/changeSets.applyDraft*');
      await stage('FAREWELL', 'Good night');
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await dialog.getByText('Nothing was deployed').waitFor();
    await dialog.getByText('Good night').waitFor();
    expect(await dialog.getByLabel('Message').inputValue()).toBe('Say good morning');
    await page.unroute('**/api/v1/events/stream*');
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await heading(page, 'Release 2').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.goto(`${page.url()}?show=history`);
    await row(page, 'History', 'Switch: done')
      .getByText(/^\d+(\.\d)? m?s/)
      .waitFor();
  });

  test('a process with a schedule runs when somebody says so, and its page tells how that ended', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go('/default/p/bakery/e/staging/s/web/processes');
    await page.getByText('No runs yet.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run nightly now' });
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByText('Ended with exit code 0').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'Runs of nightly', 'Exit code 0').waitFor();
  });

  test('a process says that its port is fixed, by the form of its command and port', async () => {
    const { ada } = world();
    const { page } = ada;
    const change = async (box: 'check' | 'uncheck') => {
      await page.getByRole('button', { name: 'Actions for web' }).click();
      await page.getByRole('menuitem', { name: 'Change command and port' }).click();
      const form = page.getByRole('dialog', { name: 'Change command and port: web' });
      await form.getByLabel('Fixed port')[box]();
      await form.getByRole('button', { name: 'Stage' }).click();
      await form.waitFor({ state: 'detached' });
    };
    await change('check');
    await page.getByRole('button', { name: /^Review/ }).waitFor();
    await change('uncheck');
    await page.getByRole('button', { name: /^Review/ }).waitFor({ state: 'detached' });
  });

  test('a service is restarted by a button of its page, and deployed again by the palette, which has the same', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go('/default/p/bakery/e/staging/s/web');
    for (const name of ['Deploy', 'Redeploy', 'Restart', 'Roll back to release 1', 'Suspend'])
      await page.getByRole('button', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    const restart = page.getByRole('dialog', { name: 'Restart Web' });
    await restart.getByRole('button', { name: 'Restart' }).click();
    await restart.getByText('Restarted', { exact: true }).waitFor();
    await restart.getByRole('button', { name: 'Close' }).last().click();
    await restart.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'Restart' }).waitFor();
    await page.getByRole('combobox').fill('redep');
    await page.keyboard.press('Enter');
    const again = page.getByRole('dialog', { name: 'Redeploy?' });
    await again.getByRole('button', { name: 'Redeploy' }).click();
    await heading(page, 'Release 2').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    // Its new instances have a name of their own, such as 2.8, which no person reads.
    await ada.go('/default/p/bakery/e/staging/s/web');
    await row(page, 'Instances', 'Ready').getByText('2', { exact: true }).waitFor();
    expect(await page.getByText(/^\d+\.\d+$/).count()).toBe(0);
  });

  test('a suspended service says that nothing serves, and is not called live', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go('/default/p/bakery/e/staging/s/web');
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByRole('dialog', { name: 'Suspend Web?' }).getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('Nothing; it resumes with release 2').waitFor();
    await ada.go('/default/p/bakery/e/staging');
    const web = row(page, 'Services', 'Web');
    await web.getByText('Suspended', { exact: true }).nth(1).waitFor();
    expect(await web.getByText('Live', { exact: true }).count()).toBe(0);
    await ada.go('/default/p/bakery/e/staging/s/web');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('dialog', { name: 'Resume Web?' }).getByRole('button', { name: 'Resume' }).click();
    await row(page, 'Instances', 'Ready').getByText('2', { exact: true }).waitFor();
  });

  test('the first release goes to production by one form and one approval, which the only one who may gives herself', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go('/default/p/bakery/e/production');
    const elsewhere = row(page, 'In other environments', 'Web');
    await elsewhere.getByText('Release 2 in Staging').waitFor();
    await elsewhere.getByRole('button', { name: 'Add to Production' }).waitFor();
    await ada.go('/default/p/bakery');
    await page.getByRole('button', { name: 'Add to Production' }).click();
    const form = page.getByRole('dialog', { name: 'Add to Production: Web' });
    await form.getByText('GREETING=Good morning').waitFor();
    await form.getByLabel('Reason').fill('Open the bakery');
    await form.getByRole('button', { name: 'Request approval' }).click();
    await heading(page, 'Release 3').waitFor();
    await page.goBack();
    await page.getByText('Release 3: held').waitFor();
    expect(await page.getByRole('button', { name: 'Add to Production' }).count()).toBe(0);

    // Nothing of it was live, and changes of others may be held with it: the question says who decides first.
    await ada.go('/default/p/bakery/e/production');
    await page.getByRole('button', { name: 'Actions for Web' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    const refused = page.getByRole('dialog', { name: 'Web cannot be suspended yet' });
    await refused.getByText('requested by').waitFor();
    await refused.getByRole('link', { name: 'Staged changes of Production' }).click();
    await heading(page, 'Staged changes of Production').waitFor();

    // Home leads there, too.
    await ada.go('/default');
    await row(page, 'In flight', 'Web, release 3').filter({ hasText: 'Production of Bakery' }).waitFor();
    const waiting = row(page, 'Waiting for your approval', 'Staged changes of Production');
    await waiting.filter({ hasText: 'Open the bakery' }).getByRole('link').click();
    await heading(page, 'Staged changes of Production').waitFor();
    await page.getByText('because nobody else could').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The oven is hot');
    await page.keyboard.press('Enter');
    await page.getByText('The oven is hot. It was, at least in part, their own change').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await row(page, 'Last deployments', 'Web, release 3').getByText('Live').waitFor();
    expect(await page.getByRole('list', { name: 'Waiting for your approval' }).count()).toBe(0);
    await ada.go('/default/p/bakery');
    // Releases are numbered per service, over its environments.
    await page.getByRole('link', { name: 'Release 3 of Web in Production' }).waitFor();
  });

  test('a failing deployment is understood on its page, and the release before is two clicks away', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { items } = await asked('GET', '/projects?q=Bakery');
    const [project] = items as { id: string }[];
    const { items: services } = await asked('GET', `/projects/${project?.id}/services`);
    const [web] = services as { id: string }[];
    const { items: processes } = await asked('GET', `/services/${web?.id}/processes`);
    const { items: environments } = await asked('GET', `/projects/${project?.id}/environments`);
    const staging = (environments as { id: string; slug: string }[]).find(({ slug }) => slug === 'staging')?.id;
    const processId = (processes as { id: string; name: string }[]).find(({ name }) => name === 'web')?.id;
    const item = { kind: 'process.set', processId, key: 'args', value: ['-once', '-code', '3'] };
    const { changeSet } = await asked('PUT', `/environments/${staging}/change-set/items`, item);
    const { deployments } = await asked('POST', `/change-sets/${(changeSet as { id: string }).id}/apply`, {});
    await ada.go(`/default/deployments/${(deployments as { id: string }[])[0]?.id}`);

    await page.getByText('It did not become healthy').waitFor();
    await page.getByText('process web: ended with exit code 3').waitFor();
    const serving = page.getByRole('list', { name: 'Serves now' });
    await serving.getByText('Release 2').waitFor();
    await serving.getByText('Healthy').waitFor();
    const { click, done } = hand(page);
    await click('button', 'Roll back to release 1');
    const dialog = page.getByRole('dialog', { name: 'Roll back to release 1?' });
    await dialog.getByText('Staged changes stay.').waitFor();
    const held = dialog.getByText('It will wait for an approval');
    // As production it would be held, and the dialog that is open hears of that.
    await asked('PATCH', `/environments/${staging}`, { production: true });
    await held.waitFor();
    await dialog.getByText('Nothing changes in Staging until you approve it yourself').waitFor();
    await asked('PATCH', `/environments/${staging}`, { production: false });
    await held.waitFor({ state: 'detached' });
    await click('button', 'Roll back');
    await page.getByText('Rollback of Web to Staging').waitFor();
    await heading(page, 'Release 1').waitFor();
    expect(done.clicks).toBe(2);
  });

  test('an image that is live in staging is promoted, approved, and serves production by its digest', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const { items } = await asked('GET', '/projects?q=Bakery');
    const [project] = items as { id: string }[];
    const { items: services } = await asked('GET', `/projects/${project?.id}/services`);
    const [web] = services as { id: string }[];
    const { items: environments } = await asked('GET', `/projects/${project?.id}/environments`);
    const idOf = (wanted: string) =>
      (environments as { id: string; slug: string }[]).find(({ slug }) => slug === wanted)?.id;
    const digestIn = async (slug: string) => {
      const overview = await asked('GET', `/environments/${idOf(slug)}/overview`);
      return (overview.services as { activeReleaseDigest: string }[])[0]?.activeReleaseDigest;
    };
    const before = await digestIn('production');
    await pushSample(opened, 'default/bakery/web', { version: '2' });
    const { source } = await asked('GET', `/services/${web?.id}?environmentId=${idOf('staging')}`);
    const item = { kind: 'service.set', serviceId: web?.id, key: 'source', value: source };
    const { changeSet } = await asked('PUT', `/environments/${idOf('staging')}/change-set/items`, item);
    await asked('POST', `/change-sets/${(changeSet as { id: string }).id}/apply`, {});

    await ada.go('/default/p/bakery');
    await page.getByRole('button', { name: 'Promote to Production' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote to Production?' });
    await dialog.getByText('Nothing is built.').waitFor();
    await dialog.getByText('It will wait for an approval').waitFor();
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText('Promotion of Web to Production').waitFor();
    const { items: pending } = await asked('GET', `/approvals?projectId=${project?.id}`);
    const [approval] = pending as { id: string }[];
    await ada.go(`/default/approvals/${approval?.id}`);
    await page.getByText(/^Of release \d+ in Staging$/).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await opened.installation.until('production serves it', async () => (await digestIn('production')) !== before);
    expect(await digestIn('production')).toBe(await digestIn('staging'));
  });
};
