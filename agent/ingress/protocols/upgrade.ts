import { request as askInstance, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, noUpstream } from '../failure.ts';
import { type Front, RequestRecord } from '../requests/access-log.ts';
import { clientOf } from '../requests/client-limits.ts';
import { type RawHeaders, toClient, toInstance } from '../requests/headers.ts';
import { refusal } from '../requests/refusal.ts';
import { hostOf } from '../routing-table.ts';
import { forward } from './forward.ts';
import { askedOverHttp1, Http1Reply } from './http1.ts';
import type { Upstream } from './upstream.ts';

/** Only WebSockets change the protocol, and only requests without a body: everything else is a request like any other. */
export function mayUpgrade(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    request.method === 'GET' &&
    headers['transfer-encoding'] === undefined &&
    (headers['content-length'] ?? '0') === '0'
  );
}

/** Opens a WebSocket at an instance. It stays there until either side ends it, whatever happens to the routes. */
export function upgrade(front: Front, request: IncomingMessage, socket: Duplex, rest: Buffer, crowded: boolean): void {
  const asked = askedOverHttp1(request, crowded);
  const named = hostOf(asked.hosts);
  const upstreams = 'host' in named ? front.table.upstreams(named.host) : undefined;
  if (
    'refusal' in named ||
    upstreams === undefined ||
    upstreams.length === 0 ||
    !mayUpgrade(request) ||
    asked.crowded
  ) {
    forward(front, asked, new Http1Reply(request, answerOn(request, socket), () => true));
    return;
  }
  const { host: wanted } = named;
  const record = new RequestRecord(front, asked);
  record.host = wanted;
  const sender = {
    address: asked.address,
    client: clientOf(asked, front.trusts),
    authority: named.authority,
    trusted: front.trusts(asked.address),
    requestId: record.requestId,
  };
  const headers = ['Host', named.authority, 'Connection', 'Upgrade', 'Upgrade', 'websocket'].concat(
    toInstance(asked.headers, sender),
  );
  const tried = new Set<Upstream>();
  let gone = false;
  socket.on('error', () => undefined);
  socket.once('close', () => {
    gone = true;
  });
  attempt();

  function attempt(): void {
    const upstream = front.table.choose(front.table.upstreams(wanted) ?? [], tried);
    if (gone || upstream === undefined) {
      refuse(...noUpstream(front.table.upstreams(wanted)));
      return;
    }
    tried.add(upstream);
    open(upstream);
  }

  function refuse(status: number, sentence: string): void {
    record.close(gone ? 499 : status, { cut: true });
    const { headers, body } = refusal(status, sentence, asked, record.requestId);
    const response = answerOn(request, socket);
    response.writeHead(status, [...headers, 'Connection', 'close']);
    response.end(body);
  }

  function open(upstream: Upstream): void {
    upstream.inFlight += 1;
    record.instance = upstream.instance;
    let open = true;
    let answered = false;
    let sent = false;
    const close = (): void => {
      if (open) upstream.inFlight -= 1;
      open = false;
    };
    const { host, port } = upstream;
    const outgoing = askInstance({ host, port, path: asked.path, headers, agent: false, setHost: false });
    const leave = (): void => {
      outgoing.destroy();
    };
    socket.once('close', leave);
    outgoing.once('socket', (connection) => {
      connection.once('connect', () => {
        sent = true;
      });
    });
    outgoing.once('upgrade', (answer, instance, first) => {
      answered = true;
      socket.off('close', leave);
      const handshake = performance.now();
      socket.write(
        head(
          answer.statusCode ?? 101,
          answer.statusMessage ?? '',
          ['Connection', 'Upgrade', 'Upgrade', 'websocket'].concat(toClient(answer.rawHeaders, 101)),
        ),
        'latin1',
      );
      join(socket, rest, instance, first, (bytes) => {
        close();
        record.bytes = bytes;
        record.close(101, { counted: Math.max(0, handshake - record.started) });
      });
    });
    outgoing.once('response', (answer) => {
      answered = true;
      const response = answerOn(request, socket);
      const status = answer.statusCode ?? 502;
      response.writeHead(status, [...toClient(answer.rawHeaders, status), 'Connection', 'close']);
      answer.on('data', (chunk: Buffer) => {
        record.bytes += chunk.length;
      });
      answer.pipe(response);
      answer.once('close', () => {
        close();
        record.close(status, { cut: !answer.complete });
        if (!answer.complete) socket.destroy();
      });
    });
    // `error` can come repeatedly, also for invalid bytes after the answer.
    outgoing.on('error', (error) => {
      socket.off('close', leave);
      if (!open || answered) return;
      close();
      if (sent) return refuse(...failure(error, 'instance'));
      upstream.refused();
      attempt();
    });
    outgoing.end();
  }
}

function answerOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.end());
  return response;
}

function head(status: number, text: string, headers: RawHeaders): string {
  const lines = [`HTTP/1.1 ${status} ${text}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Copies bytes both ways until either side closes. */
function join(client: Duplex, rest: Buffer, instance: Duplex, first: Buffer, closed: (bytes: number) => void): void {
  let bytes = first.length;
  instance.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  if (rest.length > 0) instance.write(rest);
  if (first.length > 0) client.write(first);
  for (const [side, other] of [
    [client, instance],
    [instance, client],
  ] as const) {
    side.pipe(other);
    side.on('error', () => other.destroy());
    side.once('close', () => {
      other.destroy();
      closed(bytes);
    });
  }
}
