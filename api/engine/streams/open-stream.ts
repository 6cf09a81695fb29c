import { acquireStream, releaseStream, renewStreams } from '../../../db/engine/limits/leases.ts';
import { Problem } from '../../../domain/problems.ts';
import { type Caller, OrganizationCaller } from '../caller.ts';
import type { Stream } from '../definition.ts';
import type { Incoming } from '../input/incoming.ts';
import { checkedInput, type Input } from '../input/input.ts';
import { admittedCaller } from '../pipeline/admit.ts';
import { givenOf } from '../pipeline/run.ts';
import type { ServerParts } from '../server/server-parts.ts';
import type { Frame } from './frames.ts';
import { merged } from './merged.ts';

/** Not before the database's clock says so, too. */
const afterExpiryMillis = 20;

export interface OpenedStream {
  frames: AsyncGenerator<Frame, void, undefined>;
  /** Aborted when the stream is to end: its time is up, the credential no longer holds, the process stops. */
  signal: AbortSignal;
}

/** Opens an operation's stream for a caller that was admitted. What is wrong with the request itself is thrown. */
export function openStream(server: ServerParts, incoming: Incoming, given: Input): OpenedStream {
  const { caller, named } = incoming;
  const { stream } = named.operation;
  if (stream === undefined || caller === undefined) throw new Error(`${named.name} is no stream with a caller.`);
  const input = checkedInput(named.operation, given, server.settings);
  const ending = new AbortController();
  return { frames: frames(server, incoming, input, stream, caller, ending), signal: ending.signal };
}

async function* frames(
  server: ServerParts,
  incoming: Incoming,
  input: Input,
  stream: Stream,
  caller: Caller,
  ending: AbortController,
): AsyncGenerator<Frame, void, undefined> {
  const { hub, clocks, log } = server;
  const end = () => ending.abort();
  const lease = await leased(server, stream, caller);
  if ('refused' in lease) {
    yield { comment: `refused: ${lease.refused}` };
    return;
  }
  let expiry: NodeJS.Timeout | undefined;
  /** Asks again at the moment when the credential would expire: by then a session may have been used elsewhere. */
  const watchExpiry = ({ millisLeft }: Caller) => {
    clearTimeout(expiry);
    if (ending.signal.aborted || millisLeft === undefined || millisLeft > clocks.lifetime[stream.kind]) return;
    expiry = setTimeout(recheckOrSay, Math.max(0, millisLeft) + afterExpiryMillis);
  };
  const recheck = async () => {
    const now = await stillAllowed(server, incoming, caller);
    if (now === undefined || !(await lease.renew())) end();
    else watchExpiry(now);
  };
  const recheckOrSay = () =>
    void recheck().catch((error: unknown) => {
      // Nothing can be read while the database is away, so nothing is given away either; the next check decides.
      log.warn({ requestId: incoming.requestId, err: error }, 'The credential of a stream could not be checked');
    });
  const unwatch = hub.watch({
    credentialId: caller.credential.id,
    userId: caller.answerableId,
    organizationId: caller instanceof OrganizationCaller ? caller.organization.id : undefined,
    end,
    recheck: recheckOrSay,
  });
  const lifetime = setTimeout(end, clocks.lifetime[stream.kind]);
  const checks = setInterval(recheckOrSay, clocks.recheck);
  // By the signal and not by the end of this generator: a reader that has left never asks for the next frame.
  ending.signal.addEventListener(
    'abort',
    () => {
      clearTimeout(lifetime);
      clearInterval(checks);
      clearTimeout(expiry);
      unwatch();
      void lease.release();
    },
    { once: true },
  );
  incoming.signal.addEventListener('abort', end, { once: true });
  try {
    if (incoming.signal.aborted) return;
    // Once now: it may have been revoked before the hub began to watch.
    await recheck();
    const given = { ...givenOf(server, incoming, input), signal: ending.signal };
    const events = incoming.named.operation.handle(given) as AsyncGenerator<Frame, void, undefined>;
    yield* merged(events, heartbeatMillis(server, stream, input), ending.signal);
  } catch (error) {
    // The stream is open by now: the reason can only be sent within it.
    if (!(error instanceof Problem)) throw error;
    yield { comment: `refused: ${error.message}` };
  } finally {
    end();
    incoming.signal.removeEventListener('abort', end);
  }
}

/** A reader may ask for a faster heartbeat than the specified one, and for no slower one. */
function heartbeatMillis({ clocks }: ServerParts, stream: Stream, { query }: Input): number {
  const specified = clocks.heartbeat[stream.kind];
  if (stream.fasterHeartbeat === undefined) return specified;
  const { heartbeat } = query as { heartbeat?: number };
  return heartbeat === undefined ? specified : Math.min(specified, heartbeat * 1_000);
}

interface Lease {
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** One of the streams that a credential may hold at once, whatever process serves it. */
async function leased(server: ServerParts, stream: Stream, caller: Caller): Promise<Lease | { refused: string }> {
  const { database, settings, processId, log } = server;
  const organization = stream.kind === 'organization';
  const limit = organization ? settings.ORGANIZATION_STREAMS_PER_CREDENTIAL : settings.STREAMS_PER_CREDENTIAL;
  const request = { credential: caller.credential.id, kind: stream.kind, limit, holder: processId };
  const id = await acquireStream(database.kysely, request);
  if (id === undefined) {
    const what = organization ? 'organization streams' : 'streams';
    return { refused: `this credential already holds ${limit} ${what}; close one of them first` };
  }
  return {
    renew: async () => (await renewStreams(database.kysely, [id])).has(id),
    release: () =>
      releaseStream(database.kysely, id).catch((error: unknown) => {
        log.warn({ err: error }, 'The lease of a stream could not be released; it runs out by itself');
      }),
  };
}

/** A revoked credential ends the stream, and so does another role or another set of projects. */
async function stillAllowed(server: ServerParts, incoming: Incoming, before: Caller): Promise<Caller | undefined> {
  try {
    const now = await admittedCaller(server, incoming);
    return rightsOf(now) === rightsOf(before) ? now : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function rightsOf(caller: Caller): string {
  return caller instanceof OrganizationCaller ? caller.rights : caller.id;
}
