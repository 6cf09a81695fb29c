import type { Readable } from 'node:stream';
import { crowded, failure, isLasting, noUpstream } from '../failure.ts';
import { type Front, RequestRecord } from '../requests/access-log.ts';
import { clientOf, type Limits } from '../requests/client-limits.ts';
import { header, type Reply, type RequestHead, toClient, toInstance } from '../requests/headers.ts';
import { refusal } from '../requests/refusal.ts';
import { hostOf } from '../routing-table.ts';
import type { Exchange, Outgoing } from './exchange.ts';
import type { Upstream } from './upstream.ts';

class Stalled extends Error {
  readonly code = 'body-stalled';
}

/**
 * A client's body, piece by piece as the instance takes it. Leaving it early does not break the client's connection, so
 * that it can still be told why. A client that sends nothing for long has given up, and one that sends almost nothing would
 * hold the instance for ever; where the answer has begun, instance and client talk as slowly as they like.
 */
async function* requestBody(
  body: Readable,
  limits: Limits,
  answered: () => boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const pieces = body.iterator({ destroyOnReturn: false });
  const since = performance.now();
  let bytes = 0;
  try {
    for (;;) {
      const due = since + limits.bodyGrace + (bytes * 1000) / limits.bodyBytesPerSecond;
      const next = await inTime(pieces.next(), limits.bodyPause, due, answered);
      if (next.done) return;
      const piece = next.value as Buffer;
      bytes += piece.length;
      yield piece;
    }
  } finally {
    // Not waited for: a piece that never comes would hold it up.
    pieces.return?.().catch(() => undefined);
  }
}

async function inTime<T>(piece: Promise<T>, pause: number, due: number, answered: () => boolean): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const began = performance.now();
  const stall = new Promise<never>((_, reject) => {
    const look = (): void => {
      const end = Math.min(began + pause, answered() ? Number.POSITIVE_INFINITY : due);
      const left = end - performance.now();
      if (left <= 0) reject(new Stalled('The body stalled.'));
      else timer = setTimeout(look, left);
    };
    look();
  });
  stall.catch(() => undefined);
  try {
    return await Promise.race([piece, stall]);
  } finally {
    clearTimeout(timer);
  }
}

/** Each takes 3 s at most, and instances on this machine refuse at once. */
const mostAttempts = 10;
const clientGone = 499;

/**
 * Leads one request to an instance and its answer back. Another instance is tried only where no connection could be opened:
 * once a byte was sent, nobody but the client knows whether repeating it does harm.
 */
export function forward(front: Front, asked: RequestHead, reply: Reply): void {
  const record = new RequestRecord(front, asked);
  const tried = new Set<Upstream>();
  let attempts = 0;
  let current: { exchange?: Exchange; finished: boolean } = { finished: true };
  let gone = false;

  function refuse(status: number, sentence: string): void {
    const { headers, body } = refusal(status, sentence, asked, record.requestId);
    record.bytes = body.length;
    record.close(status);
    reply.head(status, headers, asked.method === 'HEAD');
    if (asked.method !== 'HEAD') reply.data(body);
    reply.end([]);
  }

  const client = clientOf(asked, front.trusts);
  const admitted = front.limits.begun(client);
  reply.onClose(() => front.limits.ended(client));
  if (asked.crowded || !admitted) {
    refuse(429, asked.crowded ? crowded : 'Too many requests at once from this address. Try again in a moment.');
    return;
  }
  const named = hostOf(asked.hosts);
  if ('refusal' in named) {
    refuse(400, named.refusal);
    return;
  }
  const { host, authority } = named;
  record.host = host;
  if (!asked.path.startsWith('/')) {
    refuse(400, 'The request names no path.');
    return;
  }
  const sender = {
    address: asked.address,
    client,
    authority,
    trusted: front.trusts(asked.address),
    requestId: record.requestId,
  };
  const { body } = asked;
  const outgoing: Outgoing = {
    method: asked.method,
    path: asked.path,
    authority,
    headers: toInstance(asked.headers, sender),
    takesTrailers: header(asked.headers, 'te')?.toLowerCase().includes('trailers') ?? false,
    body: body === undefined ? undefined : () => requestBody(body, front.limits.limits, () => reply.begun),
  };
  reply.onDrain(() => current.exchange?.resume());
  reply.onClose(() => {
    gone = true;
    if (!current.finished) current.exchange?.abort();
  });
  attempt();

  function attempt(): void {
    const upstreams = front.table.upstreams(host);
    const chosen = upstreams && (front.table.choose(upstreams, tried) ?? (attempts < 2 ? upstreams[0] : undefined));
    if (chosen === undefined || attempts >= mostAttempts) {
      refuse(...noUpstream(upstreams));
      return;
    }
    attempts += 1;
    tried.add(chosen);
    run(chosen);
  }

  function run(upstream: Upstream): void {
    const mine: typeof current = { finished: false };
    current = mine;
    let sent = false;
    let status = 0;
    upstream.inFlight += 1;
    record.instance = upstream.instance;
    const finish = (): boolean => {
      if (mine.finished) return false;
      mine.finished = true;
      upstream.inFlight -= 1;
      return true;
    };
    mine.exchange = upstream.send(outgoing, {
      sent: () => {
        sent = true;
      },
      head: (code, headers, last) => {
        status = code;
        reply.head(code, toClient(headers, code), last);
      },
      data: (chunk) => {
        record.bytes += chunk.length;
        return reply.data(chunk);
      },
      end: (trailers) => {
        if (!finish()) return;
        record.close(status);
        reply.end(trailers);
      },
      failed: (error, untouched) => {
        if (!finish()) return;
        if (!sent) upstream.refused();
        if (gone) return record.close(status || clientGone, { cut: true });
        if (reply.begun) {
          record.close(status || 502, { cut: true });
          return reply.cut();
        }
        if (!sent && !isLasting(error)) return attempt();
        refuse(...failure(error, !sent ? 'nowhere' : untouched ? 'refused' : 'instance'));
      },
    });
    // The client may have left before there was anything to abort.
    if (gone) mine.exchange.abort();
  }
}
