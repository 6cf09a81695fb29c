import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { type IncidentSubject, resolveIncidents } from '../../../db/notification-channels/tell-channels.ts';
import { notify } from '../../../db/notifications/notify.ts';
import { clusterLost } from '../../../domain/notifications/messages.ts';
import { routingKey } from '../../actors/grounds/channel-ground.ts';
import { receiver } from '../../ground/receiver.ts';
import { Installation } from '../../installation/installation.ts';
import type { PartName } from '../../installation/running-parts.ts';
import { machine } from '../../seeds/seed.ts';

const everything = ['postgres', 'temporal', 'api', 'worker'] as const satisfies readonly PartName[];
const matrix: PartName[][] = [...everything.map((part) => [part]), [...everything]];
const cells = matrix.map((parts) => [parts.join(', '), parts] as const);

const outside = await receiver();
const installation = await Installation.start('channel-kills', outside.settings);
const { id, owner } = await installation.organization();
const people = { id, owner, admin: await installation.session(id, 'admin') };
afterAll(async () => {
  await installation.remove();
  await outside.close();
});

interface Received {
  event_action: string;
  dedup_key: string;
}

test.each(cells)('killed between an attempt and its answer: %s', async (name, parts) => {
  const path = `/hooks/${parts.join('-')}`;
  const key = `${routingKey}${parts.length}${parts[0]}`;
  const [chat, pager] = [
    await channel({ kind: 'chat_webhook', label: name, secret: outside.url(path) }),
    await channel({ kind: 'incident_pager', label: name, secret: key }),
  ];
  const held: ServerResponse[] = [];
  outside.otherwise((_, response) => void held.push(response));
  const subject: IncidentSubject = `cluster ${name}`;
  await happen(name, subject);
  await installation.until('both attempts are waiting for their answers', async () => held.length >= 2);

  const before = parts.map((part) => installation.parts.pid(part));
  installation.parts.kill(...parts);
  for (const response of held) response.writeHead(200).end('too late');
  outside.otherwise({ status: 202, body: 'ok' });
  for (const [index, part] of parts.entries()) await installation.replaced(part, before[index] ?? 0);
  await effect(await installation.database(), machine, (mending) => resolveIncidents(mending, people.id, subject));

  expect(await ended(chat, 'delivered')).toMatchObject({ attempts: 1, lastError: '' });
  expect(await ended(pager, 'resolved')).toMatchObject({ attempts: 1, lastError: '' });
  const atChat = outside.requests.filter((one) => one.path === path);
  expect(atChat.length).toBeGreaterThanOrEqual(1);
  const events = outside.requests.map(({ body }) => body as Received & { routing_key?: string });
  const told = events.filter((one) => one.routing_key === key);
  expect(new Set(told.map((one) => one.dedup_key)).size).toBe(1);
  const actions = told.map((one) => one.event_action);
  expect(actions.toSorted().toReversed()).toEqual(actions);
  expect(new Set(actions)).toEqual(new Set(['trigger', 'resolve']));
  for (const person of [people.owner, people.admin]) {
    const { body } = await installation.call('GET', '/api/v1/notifications', { as: person });
    const entries = (body.items as { title: string }[]).filter(({ title }) => title === titleOf(name));
    expect(entries).toHaveLength(1);
  }
  for (const id of [chat, pager]) {
    await installation.call('DELETE', `/api/v1/notification-channels/${id}`, { as: people.owner });
  }
});

const titleOf = (name: string) => `Cluster ${name} lost contact with its agent`;

async function channel(body: object): Promise<string> {
  const made = await installation.call('POST', '/api/v1/notification-channels', { as: people.owner, body });
  expect(made.status, made.text).toBe(201);
  return String(made.body.id);
}

async function happen(name: string, incident: IncidentSubject): Promise<void> {
  await effect(await installation.database(), machine, (happening) =>
    notify(happening, {
      organizationId: people.id,
      occasion: name,
      message: clusterLost({ clusterId: crypto.randomUUID(), name }),
      to: { admins: true },
      channels: { chat: true, incident },
    }),
  );
}

async function ended(id: string, state: string): Promise<Record<string, unknown>> {
  return await installation.until(`it is ${state}`, async () => {
    const { body } = await installation.call('GET', `/api/v1/notification-channels/${id}/deliveries`, {
      as: people.owner,
    });
    const [sent] = (body.items ?? []) as Record<string, unknown>[];
    if (sent?.finishedAt !== undefined && sent.state !== state) throw new Error(`It is ${String(sent.state)}.`);
    return sent?.state === state && sent;
  });
}
