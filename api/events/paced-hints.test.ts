import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { notify } from '../../db/notifications/notify.ts';
import { clusterLost } from '../../domain/notifications/messages.ts';
import { type ReadStream, readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { type Credential, runningApi } from '../../test/installation/running-api.ts';
import { specifiedClocks } from '../engine/streams/clocks.ts';

const opened: ReadStream[] = [];
// No second hint of an inbox comes within a test.
const api = await runningApi({ clocks: { ...specifiedClocks, hintPace: 3_600_000 } });
const ours = await api.organization();
afterAll(async () => {
  for (const stream of opened) stream.stop();
  await api.close();
});

const happen = (name: string) =>
  api.effect((telling) =>
    notify(telling, {
      organizationId: ours.organizationId,
      occasion: name,
      message: clusterLost({ clusterId: uuid(), name }),
      to: { admins: true },
    }),
  );
async function open(as: Credential, after?: string): Promise<ReadStream> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const stream = await readStream(api, `/api/v1/events/stream${query}`, as);
  opened.push(stream);
  return stream;
}
const inboxHints = (stream: ReadStream) => stream.events('change').filter(({ kind }) => kind === 'notification');
/** Resolves when all that happened before has been heard. */
async function heard(...streams: ReadStream[]): Promise<void> {
  const { body: team } = await ours.tokens.admin.post('/teams', { name: uuid() });
  for (const stream of streams) {
    await until('the team', async () => stream.events('change').some(({ id }) => id === team.id));
  }
}

test('a burst of notifications is one hint for each person and stream, and holds no other hints up', async () => {
  const { admin, owner, viewer } = ours.sessions;
  const streams = {
    first: await open(admin),
    second: await open(admin),
    owner: await open(owner),
    other: await open(viewer),
  };
  for (let number = 0; number < 10; number += 1) await happen(`burst ${number}`);
  for (const as of [admin, owner]) await as.post('/notifications/read', { all: true });
  await heard(...Object.values(streams));
  expect(Object.entries(streams).map(([name, stream]) => [name, inboxHints(stream)])).toEqual([
    ['first', [{ kind: 'notification', id: admin.userId }]],
    ['second', [{ kind: 'notification', id: admin.userId }]],
    ['owner', [{ kind: 'notification', id: owner.userId }]],
    ['other', []],
  ]);
});

test('those that came before a stream was opened are one hint of its beginning', async () => {
  const { admin } = ours.sessions;
  const { body } = await admin.get('/auth/session');
  for (let number = 0; number < 3; number += 1) await happen(`before ${number}`);
  // A hint of this person's inbox alone, beside those of all admins.
  await admin.post('/notifications/read', { all: true });
  const stream = await open(admin, String(body.position));
  await heard(stream);
  expect(inboxHints(stream)).toEqual([{ kind: 'notification', id: admin.userId }]);
});
