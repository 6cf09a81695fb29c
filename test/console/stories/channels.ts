import { expect, test } from 'vitest';
import { findLocalCluster } from '../../../db/clusters/clusters.ts';
import { effect } from '../../../db/engine/effect.ts';
import { notify } from '../../../db/notifications/notify.ts';
import { clusterLost } from '../../../domain/notifications/messages.ts';
import { machine } from '../../seeds/seed.ts';
import { askedBy } from '../asked.ts';
import { heading, mark, row } from '../on-page.ts';
import type { Stories, World } from './world.ts';

/** Tells the channels that a cluster of this name was lost, as the loss of one does. */
async function lose({ opened }: World, name: string): Promise<void> {
  const database = await opened.installation.database();
  const local = await findLocalCluster(database.kysely);
  if (local === undefined) throw new Error('There is no local cluster.');
  const { id: clusterId, organizationId } = local;
  await effect(database, machine, (telling) =>
    notify(telling, {
      ...{ organizationId, occasion: `channels ${name}`, to: {} },
      message: clusterLost({ clusterId, name }),
      channels: { chat: true, incident: `cluster ${name}` },
    }),
  );
}

export const channelStories: Stories = (world) => {
  test('a channel is added with a test: what is refused stands at its field, and a secret that does not work is mended in place', async () => {
    const { opened, ada, receiver, means } = world();
    const { page } = ada;
    await ada.go('/default/notification-channels');
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('button', { name: 'Add a channel' }).click();
    const dialog = page.getByRole('dialog');
    const secret = dialog.getByLabel('Webhook address');
    await dialog.getByLabel('Label', { exact: true }).fill('Operations');
    await secret.fill('http://chat.example.com/hooks/one');
    means(/notificationChannels\.create: 422$/);
    await dialog.getByRole('button', { name: 'Add and test' }).click();
    await dialog.getByText('Must be the absolute address of an incoming webhook').waitFor();
    await page.locator('input[name="secret"][aria-invalid="true"]:focus').waitFor();

    receiver.answers(404);
    await secret.fill(receiver.url('/hooks/mistyped'));
    await dialog.getByRole('button', { name: 'Add and test' }).click();
    await dialog.getByText('The test did not arrive').waitFor();
    await dialog.getByRole('alert').getByText('404').waitFor();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByText(`Leave blank to keep the current one (127.0.0.1:${receiver.port}).`).waitFor();
    expect(await secret.inputValue()).toBe('');
    await secret.fill(receiver.url('/hooks/operations'));
    await dialog.getByRole('button', { name: 'Save and test again' }).click();
    await dialog.getByText('Delivered', { exact: true }).waitFor();
    const [told] = await receiver.received(1, '/hooks/operations');
    expect(JSON.stringify(told?.body)).toContain('/default/notification-channels');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row(page, 'Channels', 'Operations').getByText('Working').waitFor();
    expect(page.url()).toBe(`${opened.url}/default/notification-channels`);
    for (const text of [await page.content(), await ada.stored(), ...ada.addresses])
      expect(text).not.toContain('/hooks/');
  });

  test('a channel that begins to fail says so while it is looked at, and that it works again', async () => {
    const { opened, ada, receiver } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    const sameLoad = await mark(page);
    const channel = row(page, 'Channels', 'Operations');
    const { items } = (await asked('GET', '/notification-channels')) as { items: { id: string }[] };
    receiver.answers(503);
    await asked('POST', `/notification-channels/${items[0]?.id}/test`);
    await channel.getByText('Failing').waitFor();
    await channel.getByText('answered 503').waitFor();
    await page.getByRole('button', { name: 'Actions for Operations' }).click();
    await page.getByRole('menuitem', { name: 'Test' }).click();
    await page.getByRole('dialog', { name: 'Test Operations' }).getByText('Delivered', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await channel.getByText('Working').waitFor();
    await sameLoad();
  });

  test('what a channel that fails has waiting is retried by hand, and told attempt by attempt', async () => {
    const { ada, receiver } = world();
    const { page } = ada;
    await ada.go('/default/notification-channels');
    const sameLoad = await mark(page);
    const channel = row(page, 'Channels', 'Operations');
    await channel.getByText('Working').waitFor();
    receiver.otherwise(503);
    await lose(world(), 'Turin');
    await channel.getByText('Failing').waitFor();
    await channel.getByText('503').waitFor();
    await channel.getByText(/1 message waits\. Next attempt at \d/).waitFor();
    receiver.otherwise(200);
    await page.getByRole('button', { name: 'Actions for Operations' }).click();
    await page.getByRole('menuitem', { name: 'Retry now' }).click();
    await channel.getByText('Working').waitFor();

    await channel.getByRole('link').click();
    await heading(page, 'Operations').waitFor();
    const delivery = row(page, 'Deliveries', 'Cluster Turin lost contact with its agent');
    await delivery.getByText('Delivered').waitFor();
    await delivery.getByRole('cell', { name: '2', exact: true }).waitFor();
    await delivery.getByRole('link').click();
    await heading(page, /^Delivery: .*Cluster Turin/).waitFor();
    const steps = page.getByRole('main').locator('ol').getByRole('listitem');
    await steps.filter({ hasText: 'The attempt failed' }).waitFor();
    await steps.filter({ hasText: 'Sent the message; the channel accepted it' }).waitFor();
    await sameLoad();
  });

  test('the rule says which events go where, by the channels that there are; deleting one drops what waits', async () => {
    const { opened, ada, receiver } = world();
    const { page } = ada;
    const asked = await askedBy(opened, ada);
    await ada.go('/default/notification-channels');
    const reaches = async (event: string) => (await row(page, 'Events and channels', event).innerText()).split('\n');
    await row(page, 'Events and channels', 'An agent update becomes available').waitFor();
    expect(await reaches('A deployment fails')).toEqual(['A deployment fails', 'Failures', 'In production']);
    await asked('POST', '/notification-channels', {
      kind: 'incident_pager',
      label: 'On call',
      secret: 'k'.repeat(32),
    });
    await row(page, 'Channels', 'On call').getByText('Not tested yet').waitFor();
    expect(await reaches('A deployment fails')).toContain('Opens an incident, in production');
    expect(await reaches('A cluster reconnects')).toContain('Resolves the incident');

    await page.getByRole('button', { name: 'Actions for Operations' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Disable channel' }).click();
    await row(page, 'Channels', 'Operations').getByText('Disabled', { exact: true }).waitFor();
    expect(await reaches('An approval is requested')).toContain('goes nowhere');
    await page.getByRole('button', { name: 'Actions for Operations' }).click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await row(page, 'Channels', 'Operations').getByText('Working').waitFor();

    receiver.otherwise(503);
    await lose(world(), 'Perth');
    const pager = row(page, 'Channels', 'On call');
    await pager.getByText('1 message waits').waitFor();
    await row(page, 'Channels', 'Operations').getByText('1 message waits').waitFor();
    receiver.otherwise(200);
    await pager.getByRole('link').click();
    await row(page, 'Incidents', 'Cluster Perth lost contact').getByText('Triggering').waitFor();
    await page.goBack();
    for (const name of ['Operations', 'On call']) {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('alertdialog').getByText('1 message waits and will be dropped').waitFor();
      await page.getByRole('button', { name: 'Delete channel' }).click();
      await page.getByRole('button', { name: `Actions for ${name}` }).waitFor({ state: 'detached' });
    }
    await page.getByText('No channels yet').waitFor();
  });
};
