import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import {
  credentialRequest,
  enrolRequest,
  type HelloRequest,
  heartbeatRequest,
  helloRequest,
  incarnationHeader,
} from '../../protocol/agent.ts';
import { type Command, commandResult, type OutputPiece, outputBatch } from '../../protocol/command.ts';
import type { Desired } from '../../protocol/desired.ts';
import { type Report, report } from '../../protocol/observed.ts';
import type { Trust } from '../../protocol/release-proof.ts';

/** The other end of /agent/v1 for an agent under test, by the schemas and in memory. */
export interface AgentPeer {
  url: string;
  token: string;
  hellos: HelloRequest[];
  heartbeats: z.infer<typeof heartbeatRequest>[];
  reports: Report[];
  /** By command, in the order of their numbers. */
  output(id: string): string;
  results: { id: string; result: z.infer<typeof commandResult> }[];
  /** To be delivered until there is a result. */
  commands: Map<string, Command>;
  cancelled: string[];
  desired: Desired;
  bundles: Map<string, Buffer>;
  /** Hashes of credentials that hold. */
  credentials: Set<string>;
  rotate: boolean;
  /** Told with each hello, if set. */
  trust: Trust | undefined;
  /** Answers instead of what is right. Called for each request; nothing lets it pass. */
  disturb: (path: string) => { status: number; problem?: string; location?: string } | 'cut' | 'cut-after' | undefined;
  requests: string[];
  /** More of the same address, as after a stop of the control plane. */
  stop(): Promise<void>;
  listen(): Promise<void>;
}

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** At a port of its own, or at this socket. */
export async function agentPeer(socket?: string): Promise<AgentPeer> {
  const pieces = new Map<string, Map<number, OutputPiece>>();
  let port = 0;
  let usedBy: string | undefined;
  const peer: AgentPeer = {
    url: '',
    token: `enrol_${randomBytes(16).toString('hex')}`,
    hellos: [],
    heartbeats: [],
    reports: [],
    results: [],
    commands: new Map(),
    cancelled: [],
    desired: { revision: 0, slices: [], broken: [], removed: [] },
    bundles: new Map(),
    credentials: new Set(),
    rotate: false,
    trust: undefined,
    disturb: () => undefined,
    requests: [],
    output: (id) =>
      [...(pieces.get(id)?.values() ?? [])]
        .sort((one, other) => one.number - other.number)
        .map(({ data }) => Buffer.from(data, 'base64').toString())
        .join(''),
    listen: () =>
      new Promise((resolve) => {
        server.listen(socket === undefined ? { port, host: '127.0.0.1' } : { path: socket }, () => {
          const address = server.address();
          if (typeof address === 'object' && address !== null) port = address.port;
          peer.url = socket === undefined ? `http://127.0.0.1:${port}` : 'http://localhost';
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const answer = async (path: string, request: IncomingMessage, body: unknown): Promise<unknown> => {
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (path === 'enrol') {
      const { token, credentialHash } = enrolRequest.parse(body);
      if (token !== peer.token) throw new Refused(403, 'The enrolment token is unknown; make a new one.');
      if (usedBy !== undefined && usedBy !== credentialHash)
        throw new Refused(403, 'The enrolment token was used already.');
      usedBy = credentialHash;
      peer.credentials.add(credentialHash);
      return { clusterId, clusterName: 'peer', publicUrl: peer.url, controlPlaneVersion: '0.0.0' };
    }
    const [first = '', id = '', last = ''] = path.split('/');
    if (first === 'bundles' && bearer === peer.token) return bundle(id, request);
    const hash = await sha256(bearer);
    if (!peer.credentials.has(hash)) throw new Refused(403, 'The credential of this agent is unknown or was revoked.');
    if (first === 'bundles') return bundle(id, request);
    if (path === 'hello') {
      peer.hellos.push(helloRequest.parse(body));
      return {
        incarnation: peer.hellos.length,
        minor: 1,
        clusterId,
        clusterName: 'peer',
        heartbeatSeconds: 0.3,
        ingressDomain: 'localhost',
        ...(peer.trust === undefined ? {} : { trust: peer.trust }),
      };
    }
    if (Number(request.headers[incarnationHeader]) < peer.hellos.length) {
      throw new Refused(409, 'A later agent has this identity; this one stops.');
    }
    if (path === 'heartbeat') {
      peer.heartbeats.push(heartbeatRequest.parse(body));
      return { rotate: peer.rotate };
    }
    if (path === 'report') {
      peer.reports.push(report.parse(body));
      return {};
    }
    if (path === 'credential') {
      peer.credentials.add(credentialRequest.parse(body).credentialHash);
      peer.rotate = false;
      return {};
    }
    if (first === 'work') return work(new URL(request.url ?? '', peer.url));
    if (last === 'output') {
      const known = pieces.get(id) ?? new Map<number, OutputPiece>();
      for (const piece of outputBatch.parse(body).pieces) known.set(piece.number, piece);
      pieces.set(id, known);
      return {};
    }
    if (last === 'result') {
      peer.results.push({ id, result: commandResult.parse(body) });
      peer.commands.delete(id);
      return {};
    }
    throw new Refused(404, 'There is nothing here.');
  };

  const bundle = (digest: string, request: IncomingMessage): Buffer => {
    const bytes = peer.bundles.get(digest);
    if (bytes === undefined) throw new Refused(404, 'There is no such release.');
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    return bytes.subarray(from);
  };

  const work = async (url: URL): Promise<unknown> => {
    const since = Number(url.searchParams.get('since'));
    const end = performance.now() + Math.min(1, Number(url.searchParams.get('wait'))) * 1000;
    const nothing = () => peer.commands.size === 0 && peer.cancelled.length === 0 && peer.desired.revision <= since;
    while (nothing() && performance.now() < end && since > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return {
      ...(peer.desired.revision > since || since === 0 ? { desired: peer.desired } : {}),
      commands: [...peer.commands.values()],
      cancelled: peer.cancelled,
    };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '', 'http://peer').pathname.replace('/agent/v1/', '');
    peer.requests.push(path);
    const body = await text(request);
    const disturbed = peer.disturb(path);
    if (disturbed === 'cut') {
      response.destroy();
      return;
    }
    if (typeof disturbed === 'object') {
      const { status, problem: detail, location } = disturbed;
      if (location !== undefined) response.setHeader('location', location);
      response.writeHead(status, { 'content-type': detail === undefined ? 'text/html' : 'application/problem+json' });
      response.end(detail === undefined ? '<html>' : JSON.stringify({ status, detail }));
      return;
    }
    try {
      const said = await answer(path, request, body === '' ? undefined : JSON.parse(body));
      if (disturbed === 'cut-after') {
        response.destroy();
        return;
      }
      if (Buffer.isBuffer(said)) response.writeHead(request.headers.range === undefined ? 200 : 206).end(said);
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(said));
    } catch (error) {
      const status = error instanceof Refused ? error.status : 422;
      response.writeHead(status, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ status, detail: String(error instanceof Error ? error.message : error) }));
    }
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await peer.listen();
  return peer;
}

const clusterId = '0b0e3c1e-6f5a-4a7e-9d59-3a5a4f6f7a01';

async function sha256(value: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(value))).toString('hex');
}
