import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import type { Organization } from '../../../test/api/client.ts';
import { ownApi } from '../../../test/api/own-api.ts';
import { until } from '../../../test/ground/until.ts';
import { headersOf } from '../../../test/installation/running-api.ts';
import type { ConsoleRouter } from './trpc.ts';

const { api, ours } = await ownApi();
const client = consoleOf(ours.sessions.owner);

/** A client as the console makes it: every input and output below is inferred from the operations. */
function consoleOf(as: Organization['sessions']['owner']) {
  const link = { url: `${api.url}/trpc` };
  return createTRPCClient<ConsoleRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ ...link, EventSource: eventSourceWith(headersOf('GET', { as })) }),
        false: httpLink({ ...link, headers: headersOf('POST', { as }) }),
      }),
    ],
  });
}

/** The console's kind of EventSource, which can send headers. As much of one as tRPC needs. */
function eventSourceWith(headers: Record<string, string>) {
  return class extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSED = 2;
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSED = 2;
    readyState = 0;
    readonly #leaving = new AbortController();
    constructor(url: string) {
      super();
      void this.#read(url).catch(() => undefined);
    }
    async #read(url: string) {
      const answer = await fetch(url, { headers, signal: this.#leaving.signal });
      this.readyState = 1;
      this.dispatchEvent(new Event('open'));
      let text = '';
      for await (const chunk of answer.body ?? []) {
        text += new TextDecoder().decode(chunk);
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          const type = /^event: (.*)$/m.exec(frame)?.[1] ?? 'message';
          this.dispatchEvent(new MessageEvent(type, { data }));
        }
      }
    }
    close() {
      this.readyState = 2;
      this.#leaving.abort();
    }
  };
}

test('an operation that is told nothing', async () => {
  const leaving = await ours.session('viewer');
  expect((await consoleOf(leaving).auth.signOut.mutate()).endSessionUrl).toContain('/signed-out');
});

test('the same operations, typed from end to end', async () => {
  const made = await client.teams.create.mutate({ body: { name: 'From the console' } });
  const slug: string = made.slug;
  expect(slug).toBe('from-the-console');
  const page = await client.teams.list.query({ query: { limit: 1 } });
  const names: string[] = page.items.map(({ name }) => name);
  expect(names).toEqual(['From the console']);
  expect((await client.teams.rename.mutate({ path: { id: made.id }, body: { name: 'Renamed' } })).name).toBe('Renamed');
  expect(await client.teams.delete.mutate({ path: { id: made.id } })).toBeUndefined();
  expect((await client.version.get.query()).version).toMatch(/^\d+\.\d+\.\d+/);
});

test('a failure carries the problem that REST answers', async () => {
  const failure = await client.teams.list.query({ query: { limit: 0 } }).catch((error: unknown) => error);
  if (!(failure instanceof TRPCClientError)) throw new Error('It did not fail.');
  expect(failure.message).toContain('query.limit');
  const { data } = failure as TRPCClientError<ConsoleRouter>;
  expect(data).toMatchObject({ httpStatus: 422, problem: { status: 422, errors: [{ location: 'query.limit' }] } });
});

test('a key given with a mutation is kept: a repeat makes nothing', async () => {
  const send = () =>
    api.call('POST', '/trpc/teams.create', {
      as: ours.sessions.owner,
      body: { body: { name: 'Once' } },
      headers: { 'idempotency-key': 'console' },
    });
  const [first, second] = [await send(), await send()];
  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
});

test.each([
  ['GET', '/trpc/nothing.here', 404],
  ['POST', '/trpc/teams.list', 404],
  ['GET', '/trpc/teams.list,teams.list?batch=1', 404],
  ['GET', '/trpc/teams.list?batch=1', 400],
  ['GET', '/trpc/teams.list?input=%7B', 400],
  ['GET', `/trpc/teams.list?input=${encodeURIComponent('{"colour":1}')}`, 422],
  ['POST', '/trpc/teams.create', 415],
])('%s %s is refused as tRPC refuses', async (method, path, status) => {
  const body = status === 415 ? { body: 'x', headers: { 'content-type': 'text/plain' } } : {};
  const answered = await api.call(method, path, { as: ours.sessions.owner, ...body });
  expect(answered.status).toBe(status);
  expect(JSON.parse(answered.text)).toMatchObject({ error: { data: { httpStatus: status, problem: { status } } } });
  expect(answered.text).not.toContain('stack');
});

test('a stream is a subscription, and what is sent before anything happens is not lost', async () => {
  const heard: unknown[] = [];
  let started = false;
  const subscription = client.events.stream.subscribe(undefined, {
    onStarted: () => {
      started = true;
    },
    onData: ({ event, data }) => {
      if (event === 'change') heard.push(data.kind);
    },
  });
  await until('it is open', async () => started);
  await client.teams.create.mutate({ body: { name: 'Heard' } });
  await until('the change', async () => heard.includes('team'));
  subscription.unsubscribe();
});
