import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { storeHistoryPage } from '../../../db/engine/archive/history-archive.ts';
import { effect } from '../../../db/engine/effect.ts';
import { openKeyring } from '../../../db/keys/keys.ts';
import { actorId } from '../../../domain/actors/actors.ts';
import { recordedHistory } from '../../actors/recorded-history.ts';
import { signIn } from '../../identity/people.ts';
import { askedBy } from '../asked.ts';
import { heading } from '../on-page.ts';
import type { Stories, World } from './world.ts';

const steps = (page: Page) => page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
const rows = (page: Page) => page.getByRole('table', { name: 'Workflows' }).getByRole('row');

/** An update of the cluster Lisbon's agent that came back, with its recorded history, as Ada requested it. */
async function updateThatCameBack({ opened, ada }: World): Promise<string> {
  const { installation } = opened;
  const asked = await askedBy(opened, ada);
  const { organizationId, userId } = asked.as;
  const made = await asked('POST', '/clusters', { name: 'Lisbon' });
  const { id: cluster } = made.cluster as { id: string };
  const database = await installation.database();
  const update = uuid();
  const author = { kind: 'user', id: userId, name: 'Ada Lovelace', requestId: 'request-of-lisbon' } as const;
  const [begun, ended] = [new Date('2026-11-21T10:00:00Z'), new Date()];
  await effect(database, author, async (began) => {
    await began.kysely
      .insertInto('agent_update')
      .values({
        ...{ id: update, organization_id: organizationId, cluster_id: cluster, kind: 'update', state: 'returned' },
        ...{ from_image: 'ballast-agent:1-111111111111', to_image: 'ballast-agent:2-222222222222' },
        ...{ message: 'It did not start.', created_at: begun, finished_at: ended, archived_at: ended },
        ...{ requested_by_kind: 'user', requested_by_id: userId, requested_by_name: 'Ada Lovelace' },
      })
      .execute();
    const subject = { organizationId, id: cluster, name: 'Lisbon', workflowId: update };
    began.audit('cluster.agent_update_requested', subject);
  });
  const keyring = await openKeyring(database, installation.settings.KEYS_FILE);
  const page = { actorId: actorId('agent-update', update), runId: uuid(), page: 0, organizationId };
  const bytes = await recordedHistory('agent-update-returned');
  await storeHistoryPage(database.kysely, keyring, { ...page, bytes });
  return cluster;
}

export const workflowStories: Stories = (world) => {
  test('a viewer finds the update that came back, sees its failure in red, and hands on a link to that step', async () => {
    const { opened } = world();
    const cluster = await updateThatCameBack(world());
    const database = await opened.installation.database();
    const { organizationId } = (await askedBy(opened, world().ada)).as;
    const person = await signIn(database, { name: 'Lise Meitner', email: 'lise@example.com' });
    await database.kysely
      .insertInto('membership')
      .values({ organization_id: organizationId, user_id: person.userId, role: 'viewer' })
      .execute();
    const viewer = await opened.signedIn(person.in().session);
    const { page } = viewer;

    await page.goto(`${opened.url}/default/workflows`);
    await rows(page).filter({ hasText: 'Agent update: Lisbon' }).waitFor();
    expect(await rows(page).filter({ hasText: 'Cluster Lisbon' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Failed today' }).click();
    await page.getByLabel('About').selectOption({ label: 'Lisbon' });
    await opened.installation.until('two of them', async (see) => see(await rows(page).count()) === 2);
    expect(page.url()).toBe(`${opened.url}/default/workflows?view=failed-today&about=${cluster}`);
    await page.reload();
    await rows(page)
      .getByRole('link', { name: /Agent update: Lisbon/ })
      .waitFor();
    expect(await rows(page).count()).toBe(2);

    await page.getByRole('link', { name: 'Long-lived' }).click();
    await rows(page).filter({ hasText: 'Cluster Lisbon' }).waitFor();
    expect(await rows(page).filter({ hasText: 'Agent update' }).count()).toBe(0);
    await page.goBack();
    await rows(page)
      .getByRole('link', { name: /Agent update: Lisbon/ })
      .click();

    await heading(page, /Agent update: Lisbon/).waitFor();
    await page.getByText('Ada Lovelace').waitFor();
    await page.getByText('request-of-lisbon').waitFor();
    expect(await page.getByRole('link', { name: 'Audit record' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Export history' }).count()).toBe(0);
    expect(await page.getByRole('list', { name: 'Stages' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Request\s+failed/),
      expect.stringMatching(/^Download\s+skipped/),
      expect.stringMatching(/^Switch\s+skipped/),
    ]);
    const failed = steps(page).filter({ hasText: 'The agent connected, back on 1' });
    await failed.getByText('2 did not work: It did not start.').waitFor();
    expect(await failed.locator('[data-tone]').getAttribute('data-tone')).toBe('fault');
    expect(await steps(page).filter({ hasText: 'Started by' }).locator('[data-tone]').getAttribute('data-tone')).toBe(
      'neutral',
    );
    await page.getByRole('checkbox', { name: 'Failures only' }).check();
    await steps(page).filter({ hasText: 'Started by' }).waitFor({ state: 'detached' });
    await failed.getByRole('link', { name: /link to this step/ }).click();
    await steps(page).and(page.locator('[aria-current=true]')).waitFor();

    const other = await viewer.tab(new URL(page.url()).pathname + new URL(page.url()).search);
    await steps(other).and(other.locator('[aria-current=true]')).filter({ hasText: 'back on 1' }).waitFor();
    expect(new URL(other.url()).search).toMatch(/^\?failures=true&step=1-\d+$/);
    await viewer.context.close();
  });

  test('an administrator goes from the workflow to its audit record, and exports its history', async () => {
    const { ada } = world();
    const { page } = ada;
    await ada.go('/default/workflows');
    await rows(page)
      .getByRole('link', { name: /Agent update: Lisbon/ })
      .click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export history' }).click();
    const file = await (await downloaded).path();
    const { events } = JSON.parse(await readFile(file, 'utf8')) as { events: { eventType: string }[] };
    expect(events[0]?.eventType).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
    await page.getByRole('link', { name: 'Audit record' }).click();
    await heading(page, 'Audit log').waitFor();
    await page.getByText('Lisbon').first().waitFor();
  });
};
