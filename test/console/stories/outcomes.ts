import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { expireApproval } from '../../../db/approvals/decide.ts';
import { effect } from '../../../db/engine/effect.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { freePort } from '../../ground/free-port.ts';
import { machine } from '../../seeds/seed.ts';
import { type Ask, askedBy, type Session } from '../asked.ts';
import { pushSample } from '../delivery.ts';
import { heading, mark, row } from '../on-page.ts';
import type { Stories, World } from './world.ts';

interface Brewery {
  asked: Awaited<ReturnType<typeof askedBy>>;
  projectId: string;
  serviceId: string;
  processId: string;
  staging: string;
  production: string;
}

const idOf = (made: unknown) => (made as { id: string }).id;
const first = (made: unknown) => idOf((made as object[])[0]);

async function stage(asked: Ask, environment: string, item: object): Promise<void> {
  await asked('PUT', `/environments/${environment}/change-set/items`, item);
}

/** Answers the deployment, and the approval where one is needed. */
async function apply(asked: Ask, environment: string) {
  const { changeSet } = await asked('GET', `/environments/${environment}/change-set`);
  const { deployments, approval } = await asked('POST', `/change-sets/${idOf(changeSet)}/apply`, {});
  return { deployment: first(deployments), approval: approval as { id: string } | undefined };
}

/** A service of which staging runs a newer image than production, by requests alone; both roll at once. */
async function brew({ opened, ada }: World): Promise<Brewery> {
  const asked = await askedBy(opened, ada);
  const { project, environments } = await asked('POST', '/projects', { name: 'Brewery' });
  const [production, staging] = (environments as object[]).map(idOf) as [string, string];
  const made = await asked('POST', `/projects/${idOf(project)}/services`, {
    name: 'Web',
    source: { kind: 'image', imageRepository: ':latest' },
    environmentId: staging,
    process: { stabilizationSeconds: 0 },
  });
  const [serviceId, processId] = [idOf(made.service), first(made.processes)];
  await pushSample(opened, 'default/brewery/web');
  await stage(asked, production, { kind: 'service.create', serviceId });
  const { approval } = await apply(asked, production);
  await asked('POST', `/approvals/${approval?.id}/decide`, { decision: 'approved' });
  await pushSample(opened, 'default/brewery/web', { version: '2' });
  await apply(asked, staging);
  await opened.installation.until('both are live', async () => {
    const overviews = await Promise.all(
      [staging, production].map((id) => asked('GET', `/environments/${id}/overview`)),
    );
    return overviews.every(({ services }) => (services as { health: string }[])[0]?.health === 'healthy');
  });
  return { asked, projectId: idOf(project), serviceId, processId, staging, production };
}

export const outcomeStories: Stories = (world) => {
  let brewery: Brewery;
  /** An older change of production that waits meanwhile. */
  let older: string | undefined;

  test('a release is promoted from column to column by the keyboard; rejected, it changes nothing', async () => {
    brewery = await brew(world());
    const { page } = world().ada;
    const { asked, production, serviceId } = brewery;
    await stage(asked, production, { kind: 'variable.set', serviceId, key: 'GREETING', value: 'Cheers' });
    older = (await apply(asked, production)).approval?.id;

    await world().ada.go('/default/p/brewery');
    const columns = page.getByRole('table', { name: 'Services' });
    await columns.getByText('Release 3: held').waitFor();
    await columns.getByRole('link', { name: 'Release 1 of Web in Production' }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator(':focus').innerText()).toContain('Promote');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowRight');
    const dialog = page.getByRole('dialog', { name: 'Promote to Production?' });
    await dialog.getByText('It will wait for an approval').waitFor();
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText('Promotion of Web to Production').waitFor();

    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('Not on a Friday');
    await page.keyboard.press('Enter');
    await page.getByText('Rejected', { exact: true }).first().waitFor();
    await world().ada.go('/default/p/brewery');
    await row(page, 'Services', 'Web').getByRole('link', { name: 'Release 1 of Web in Production' }).waitFor();
    await row(page, 'Services', 'Web').getByRole('button', { name: 'Promote to Production' }).waitFor();
  });

  test('promoted again by the button between the columns, approved in a second browser, it goes live without a reload', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    await page.getByRole('button', { name: 'Promote to Production' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText('Held for your decision').waitFor();
    const same = await mark(page);
    const { asked, projectId } = brewery;
    const { items } = await asked('GET', `/approvals?projectId=${projectId}`);
    const promotion = (items as { id: string; kind: string }[]).find(({ kind }) => kind === 'promote');

    const { organizationId } = asked.as;
    const grace = (await opened.installation.session(organizationId, 'admin')) as Session;
    const other = await opened.signedIn(grace.session);
    await other.go(`/default/approvals/${promotion?.id}`);
    await other.page.getByRole('button', { name: 'Approve' }).click();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await same();
    await other.context.close();
    // In the stories after this one Ada alone may decide.
    await asked('DELETE', `/organizations/${organizationId}/members/${grace.userId}`);
    await ada.go('/default/p/brewery');
    await row(page, 'Services', 'Web').getByText('Same image as Production').waitFor();
  });

  test('a change that is stale by now is refreshed, and its successor is approved', async () => {
    const { page } = world().ada;
    await world().ada.go(`/default/approvals/${older}`);
    await page.getByText('cannot be approved as it is').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It was, at least in part, their own change').waitFor();
    expect(page.url()).not.toContain(String(older));
  });

  test('what nobody decides in time expires, and its changes are staged again', async () => {
    const { opened, ada } = world();
    const { asked, production, serviceId, projectId } = brewery;
    // A request made before the change of the last story is live would be stale.
    await opened.installation.until('the change before is live', async () => {
      const { items } = await asked('GET', `/deployments?environmentId=${production}&limit=1`);
      return (items as { state: string }[])[0]?.state === 'live';
    });
    await stage(asked, production, { kind: 'variable.set', serviceId, key: 'FAREWELL', value: 'Bye' });
    const { approval } = await apply(asked, production);
    await ada.go(`/default/approvals/${approval?.id}`);
    await ada.page.getByRole('button', { name: 'Approve' }).waitFor();
    const database = await opened.installation.database();
    const { organizationId } = asked.as;
    const rows = tenant(database.kysely, organizationId)
      .updateTable('approval')
      .where('id', '=', approval?.id ?? '');
    const [row] = await rows
      .set({ expires_at: new Date(0) })
      .returning('change_set_id as id')
      .execute();
    // As its actor does once the time has passed.
    const of = { column: 'change_set_id' as const, id: row?.id ?? '' };
    await effect(database, machine, (one) => expireApproval(one, { organizationId, projectId }, of));
    await ada.page.getByText('Expired', { exact: true }).first().waitFor();
    await ada.go('/default/p/brewery/e/production');
    await ada.page.getByRole('button', { name: 'Review and deploy' }).waitFor();
  });

  test('a deployment that failed for want of something else is rerun from the stage in which it failed', async () => {
    const { opened, ada } = world();
    const { page } = ada;
    const { asked, staging, processId } = brewery;
    const port = await freePort();
    const value = ['-needs', `127.0.0.1:${port}`];
    await stage(asked, staging, { kind: 'process.set', processId, key: 'args', value });
    const { deployment } = await apply(asked, staging);
    await ada.go(`/default/deployments/${deployment}`);
    await page.getByText('ended with exit code 1').first().waitFor();
    const database = createServer((socket) => socket.end());
    await new Promise<void>((listening) => database.listen(port, '127.0.0.1', listening));
    try {
      await page.getByRole('button', { name: 'Actions for this deployment' }).click();
      await page.getByRole('menuitem', { name: /^Rerun from the stage (Start|Check)$/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rerun' }).click();
      await page.getByText('Rerun of Web to Staging').waitFor();
      await page.getByText('Live', { exact: true }).first().waitFor();
    } finally {
      database.close();
    }
    // Visitors of what is live may get something else: its page, its service's, the table of services and Home say so.
    const warning = { kind: 'host', by: 'django', status: 400, path: '/', host: 'web.example.com' };
    const { kysely } = await opened.installation.database();
    await tenant(kysely, asked.as.organizationId)
      .updateTable('deployment')
      .set({ warnings: JSON.stringify([warning]) } as never)
      .where('id', '=', page.url().split('/').at(-1) ?? '')
      .execute();
    const warned = page.getByText(/add that name to ALLOWED_HOSTS/);
    await page.reload();
    await warned.waitFor();
    await ada.go('/default/p/brewery/e/staging/s/web');
    await warned.waitFor();
    await ada.go('/default/p/brewery/e/staging');
    await row(page, 'Services', 'Web').getByText('Live, with a warning').waitFor();
    await ada.go('/default');
    await row(page, 'Needs attention', 'Web is live in Staging of Brewery, and visitors get something else')
      .getByRole('link', { name: 'Open deployment' })
      .click();
    await page.getByRole('link', { name: /^Rerun from .* of an earlier deployment$/ }).click();
    await page.getByRole('link', { name: 'It was rerun' }).waitFor();
    await heading(page, /^Release \d+$/).waitFor();
    expect(await asked('GET', `/deployments/${deployment}`)).toMatchObject({ state: 'failed' });
    expect(opened.complaints()).toEqual([]);
  });
};
