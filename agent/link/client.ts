import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import type { z } from 'zod';
import { isOwnDirectory } from '../../machine/own-directory.ts';
import {
  type EnrolAnswer,
  enrolAnswer,
  type enrolRequest,
  type HelloAnswer,
  type HelloRequest,
  heartbeatAnswer,
  type heartbeatRequest,
  helloAnswer,
  incarnationHeader,
  type Release,
  release,
} from '../../protocol/agent.ts';
import type { CommandResult, OutputPiece } from '../../protocol/command.ts';
import { type LogBatch, logAnswer } from '../../protocol/logs.ts';
import type { Report } from '../../protocol/observed.ts';
import { controlPlaneAddress } from './address.ts';
import { failureOf, LinkFailure } from './link-failure.ts';
import { type ReadWork, readWork } from './read-work.ts';

export interface ClientOptions {
  url: string;
  /** A socket in a directory that only we can enter, instead of a port that anybody may come to hold. */
  socket?: string;
  /** The credential; asked for at each request, since it is rotated. */
  credential: () => string;
  /** Certificates to trust besides those that Node trusts, as PEM. */
  certificates?: string;
}

interface Call {
  method: string;
  path: string;
  /** Beneath the address of the control plane. */
  base?: 'agent/v1' | 'v2';
  body?: unknown;
  /** Sent as it is, instead of a body in JSON. */
  raw?: Buffer | Readable | undefined;
  seconds?: number;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  connections?: HttpAgent | HttpsAgent;
}

const largestAnswer = 64 * 1024 * 1024;

/**
 * The agent's side of the protocol, one method an endpoint. No redirect is followed, every answer is bounded in time
 * and size and validated, and every failure is a `LinkFailure`.
 */
export class Client {
  readonly url: URL;
  /** As people are told it. */
  readonly address: string;
  /** Set by hello; sent with everything that follows. */
  incarnation: number | undefined;
  readonly #credential: () => string;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Logs wait for their readers, and must not keep a heartbeat waiting. */
  readonly #logs: HttpAgent | HttpsAgent;
  /** Layers take long. */
  readonly #images: HttpAgent | HttpsAgent;
  readonly #socket: string | undefined;

  constructor({ url, socket, credential, certificates }: ClientOptions) {
    this.url = controlPlaneAddress(url);
    this.#socket = socket;
    this.address = socket ?? this.url.origin;
    this.#credential = credential;
    // A plain port proves no identity: a new connection for each request reaches its present holder.
    const keepAlive = socket !== undefined || this.url.protocol === 'https:';
    const connections = { keepAlive, maxFreeSockets: 2 };
    const trusted = certificates === undefined ? {} : { ca: [...rootCertificates, certificates] };
    const open = (maxSockets: number) =>
      this.url.protocol === 'http:'
        ? new HttpAgent({ ...connections, maxSockets })
        : new HttpsAgent({ ...connections, ...trusted, maxSockets });
    this.#agent = open(16);
    this.#logs = open(64);
    this.#images = open(8);
  }

  enrol(body: z.infer<typeof enrolRequest>): Promise<EnrolAnswer> {
    return this.#json(enrolAnswer, { method: 'POST', path: 'enrol', body });
  }

  async hello(body: HelloRequest): Promise<HelloAnswer> {
    const answer = await this.#json(helloAnswer, { method: 'POST', path: 'hello', body });
    this.incarnation = answer.incarnation;
    return answer;
  }

  heartbeat(body: z.infer<typeof heartbeatRequest>, signal?: AbortSignal): Promise<z.infer<typeof heartbeatAnswer>> {
    return this.#json(heartbeatAnswer, { method: 'POST', path: 'heartbeat', body, signal });
  }

  async report(body: Report, signal?: AbortSignal): Promise<void> {
    await this.#text({ method: 'POST', path: 'report', body, seconds: 30, signal });
  }

  async work(since: number, wait: number, logs: string, signal?: AbortSignal): Promise<ReadWork> {
    const path = `work?since=${since}&wait=${wait}&logs=${encodeURIComponent(logs)}`;
    return readWork(await this.#text({ method: 'GET', path, seconds: wait + 15, signal }));
  }

  async output(id: string, pieces: readonly OutputPiece[], signal?: AbortSignal): Promise<void> {
    await this.#text({ method: 'POST', path: `commands/${id}/output`, body: { pieces }, seconds: 30, signal });
  }

  async result(id: string, body: CommandResult, signal?: AbortSignal): Promise<void> {
    await this.#text({ method: 'POST', path: `commands/${id}/result`, body, signal });
  }

  /** Waits while the reader is behind, at the other side. */
  logs(id: string, body: LogBatch, signal?: AbortSignal): Promise<z.infer<typeof logAnswer>> {
    return this.#json(logAnswer, {
      method: 'POST',
      path: `logs/${id}`,
      body,
      seconds: 30,
      signal,
      connections: this.#logs,
    });
  }

  async changeCredential(credentialHash: string): Promise<void> {
    await this.#text({ method: 'POST', path: 'credential', body: { credentialHash } });
  }

  release(): Promise<Release> {
    return this.#json(release, { method: 'GET', path: 'release' });
  }

  /** The bytes of a bundle from `from` on; the reader bounds and verifies them. */
  async bundle(
    digest: string,
    from: number,
    signal: AbortSignal,
  ): Promise<{ resumed: boolean; bytes: IncomingMessage }> {
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const answer = await this.#send({ method: 'GET', path: `bundles/${digest}`, seconds: 600, signal, headers });
    if (answer.statusCode === 200 || answer.statusCode === 206) {
      return { resumed: answer.statusCode === 206, bytes: answer };
    }
    throw await this.#failure(answer);
  }

  /** A part of an image, from a repository of the control plane's registry. The reader verifies it. */
  async image(path: string, headers: Record<string, string>, signal: AbortSignal) {
    const call = { method: 'GET', path, base: 'v2', seconds: 600, signal, headers } as const;
    const answer = await this.#send({ ...call, connections: this.#images });
    return { statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  }

  /** Asks the control plane's registry, to push there; bytes are as long as `content-length` says. */
  registry(
    method: string,
    path: string,
    { body, headers = {} }: { body?: Buffer | Readable; headers?: Record<string, string> },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const call = { method, path, base: 'v2', seconds: 3600, signal, headers, raw: body } as const;
    return this.#send({ ...call, connections: this.#images });
  }

  /** The source of a build, as a tar. */
  async source(id: string, signal: AbortSignal): Promise<IncomingMessage> {
    const call = { method: 'GET', path: `builds/${id}/source`, seconds: 3600, signal } as const;
    const answer = await this.#send({ ...call, connections: this.#images });
    if (answer.statusCode === 200) return answer;
    throw await this.#failure(answer);
  }

  get #host(): string {
    return this.#socket ?? this.url.host;
  }

  close(): void {
    this.#agent.destroy();
    this.#logs.destroy();
    this.#images.destroy();
  }

  async #json<T>(schema: z.ZodType<T>, call: Call): Promise<T> {
    const text = await this.#text(call);
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      // The answer's content stays out of the message: it may carry secrets.
      throw new LinkFailure(
        'unreachable',
        `${this.#host} answered ${call.path} with an answer that does not follow the protocol.`,
      );
    }
  }

  async #text(call: Call): Promise<string> {
    const answer = await this.#send(call);
    if (answer.statusCode === undefined || answer.statusCode < 200 || answer.statusCode > 299) {
      throw await this.#failure(answer);
    }
    return this.#read(answer, largestAnswer);
  }

  async #failure(answer: IncomingMessage): Promise<LinkFailure> {
    const status = answer.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      answer.destroy();
      const message = `${this.#host} redirects the agent, which follows no redirect; give the address that it leads to.`;
      return new LinkFailure('unreachable', message);
    }
    const body = await this.#read(answer, 65_536);
    return failureOf(status, answer.headers['content-type'] ?? '', body, answer.headers['retry-after']);
  }

  #send({
    method,
    path,
    base = 'agent/v1',
    body,
    raw,
    seconds = 15,
    signal,
    headers = {},
    connections = this.#agent,
  }: Call): Promise<IncomingMessage> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    // A timer, not the clock: the machine's time may jump.
    const late = AbortSignal.timeout(seconds * 1000);
    const options: RequestOptions = {
      method,
      agent: connections,
      ...(this.#socket === undefined ? {} : { socketPath: this.#socket }),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      headers: {
        accept: 'application/json',
        'user-agent': 'ballast-agent',
        authorization: `Bearer ${this.#credential()}`,
        ...(this.incarnation === undefined ? {} : { [incarnationHeader]: String(this.incarnation) }),
        ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
    };
    const target = new URL(`${this.url.pathname.replace(/\/$/, '')}/${base}/${path}`, this.url);
    return new Promise((resolve, reject) => {
      // The credential goes to the program that listens there.
      if (this.#socket !== undefined && !isOwnDirectory(dirname(this.#socket))) {
        reject(this.#unreachable(new Error(`${dirname(this.#socket)} is not a directory that only we can enter`)));
        return;
      }
      const send = target.protocol === 'http:' ? httpRequest : httpsRequest;
      const sent = send(target, options, resolve);
      sent.on('error', (error) => reject(this.#unreachable(error)));
      if (raw === undefined || Buffer.isBuffer(raw)) sent.end(raw ?? bytes);
      else pipeline(raw, sent).catch((error: unknown) => reject(this.#unreachable(error)));
    });
  }

  async #read(answer: IncomingMessage, limit: number): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const part of answer as AsyncIterable<Buffer>) {
        size += part.length;
        if (size > limit) throw new Error(`more than ${limit} bytes`);
        parts.push(part);
      }
    } catch (error) {
      throw this.#unreachable(error);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #unreachable(error: unknown): LinkFailure {
    const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    const why = late ? 'no answer in time' : error instanceof Error ? error.message : String(error);
    return new LinkFailure('unreachable', `${this.#host} cannot be reached: ${why}.`);
  }
}
