import { type Effect, effect } from '../../../db/engine/effect.ts';
import { LockBusy } from '../../../db/postgres/connection-failure.ts';
import type { JsonValue } from '../../../db/postgres/json.ts';
import type { Once, PageAnswer } from '../definition.ts';
import type { Incoming } from '../input/incoming.ts';
import { checkedInput, type Input } from '../input/input.ts';
import { answeredPage, requestedPage } from '../input/page.ts';
import type { AnyGiven, AnyOperation } from '../operation.ts';
import type { ServerParts } from '../server/server-parts.ts';
import type { Answer } from './answer.ts';
import { authorOf } from './author.ts';
import { Client } from './client.ts';
import { before } from './deadline.ts';
import { answeredBefore, answeredOnce, idempotentRequest } from './idempotency.ts';

/** Runs an operation for a caller that was admitted. Both transports come through here; a failure is thrown. */
export async function run(server: ServerParts, incoming: Incoming, given: Input): Promise<Answer> {
  const { operation } = incoming.named;
  const input = checkedInput(operation, given, server.settings);
  // One that makes its own effect may wait for others than the database.
  if (operation.ownEffect) return work(server, incoming, input);
  if (operation.method === 'GET') {
    return server.turns.take(incoming.named.name, incoming.signal, () => work(server, incoming, input));
  }
  return inTurn(server, incoming, () => work(server, incoming, input));
}

/** A change that waits for others of its kind is not late yet: a hundred at once are done one after the other, and all of them are. */
function inTurn<T>(server: ServerParts, { named, signal, time }: Incoming, change: () => Promise<T>): Promise<T> {
  time.hold();
  return server.turns.take(named.name, signal, () => {
    time.restart();
    return change();
  });
}

/** One effect; again while others hold the lock of its project, so that no connection waits long for it. */
async function patientEffect<T>(
  server: ServerParts,
  incoming: Incoming,
  work: (running: Effect) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await effect(server.database, authorOf(incoming), work);
    } catch (error) {
      if (!(error instanceof LockBusy) || incoming.signal.aborted) throw error;
      incoming.time.restart();
    }
  }
}

async function work(server: ServerParts, incoming: Incoming, input: Input): Promise<Answer> {
  const { operation } = incoming.named;
  if (operation.method === 'GET') return before(incoming.signal, read(server, incoming, input));
  if (operation.ownEffect) return ownChange(server, incoming, input);
  return change(server, incoming, input);
}

/** The parts of a handler's argument that need neither the page nor the effect. */
export function givenOf(server: ServerParts, incoming: Incoming, input: Input): AnyGiven {
  const { caller, signal } = incoming;
  const client = new Client(incoming);
  return {
    caller,
    client,
    path: input.path,
    query: input.query,
    body: input.body,
    database: server.database,
    server,
    signal,
  };
}

async function read(server: ServerParts, incoming: Incoming, input: Input): Promise<Answer> {
  const { name, operation } = incoming.named;
  const given = givenOf(server, incoming, input);
  if (operation.paged === undefined)
    return { status: operation.status, value: operation.encode(await operation.handle(given)) };
  const context = { operation: name, caller: incoming.caller, key: server.keyring.cursorKey() };
  const page = requestedPage(context, operation.paged, input);
  const answer = (await operation.handle({ ...given, page })) as PageAnswer<unknown, JsonValue>;
  const items = answer.items.map((item) => operation.encode(item));
  return { status: operation.status, value: answeredPage(context, input, { ...answer, items }) };
}

async function change(server: ServerParts, incoming: Incoming, input: Input): Promise<Answer> {
  const { operation } = incoming.named;
  const once = idempotentRequest(incoming, input);
  return patientEffect(server, incoming, async (running) => {
    const given = givenOf(server, incoming, input);
    const answer = await (once === undefined
      ? changed(operation, given, running)
      : answeredOnce(running, operation, once, server.settings.IDEMPOTENCY_KEYS_PER_CREDENTIAL, () =>
          changed(operation, given, running),
        ));
    // Too late: what the client is told did not happen must not happen.
    incoming.signal.throwIfAborted();
    return answer;
  });
}

/** Not raced against the time: its effect looks at the signal, so that nothing is done that the client is told was not. */
async function ownChange(server: ServerParts, incoming: Incoming, input: Input): Promise<Answer> {
  const { operation } = incoming.named;
  const request = idempotentRequest(incoming, input);
  let replayed = false;
  const once: Once = (work) =>
    inTurn(server, incoming, () =>
      patientEffect(server, incoming, async (running) => {
        incoming.signal.throwIfAborted();
        const first = async (): Promise<Answer> => ({
          status: operation.status,
          value: operation.encode(await work(running)),
        });
        const most = server.settings.IDEMPOTENCY_KEYS_PER_CREDENTIAL;
        const answer = await (request === undefined ? first() : answeredOnce(running, operation, request, most, first));
        incoming.signal.throwIfAborted();
        replayed = answer.replayed === true;
        return answer.value as Awaited<ReturnType<typeof work>>;
      }),
    );
  const stored = async () => (request === undefined ? undefined : answeredBefore(server.database, operation, request));
  const before = await stored();
  if (before !== undefined) return before;
  try {
    const value = operation.encode(await operation.handle({ ...givenOf(server, incoming, input), once }));
    return { status: operation.status, value, ...(replayed ? { replayed } : {}) };
  } catch (error) {
    // The first request may have been answered meanwhile; what it did is what this one stumbled over.
    const meanwhile = await stored();
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
}

async function changed(operation: AnyOperation, given: AnyGiven, running: Effect): Promise<Answer> {
  const value = await operation.handle({ ...given, effect: running });
  return {
    status: operation.status,
    value: operation.result === undefined && !operation.redirects ? undefined : operation.encode(value),
  };
}
