import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import {
  enrolAnswer,
  type Facts,
  type HelloAnswer,
  type HelloRequest,
  heartbeatAnswer,
  helloAnswer,
  incarnationHeader,
  type Work,
  work,
} from '../../protocol/agent.ts';
import type { CommandResult, OutputPiece } from '../../protocol/command.ts';
import type { LogBatch, LogChunk, LogReader, LogStream } from '../../protocol/logs.ts';
import type { ObservedSlice, Report } from '../../protocol/observed.ts';
import { protocolVersion } from '../../protocol/version.ts';

export interface PeerAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  bytes: Buffer;
}

/** An agent as far as the control plane can tell: it speaks the protocol by plain HTTP, and runs nothing. */
export class PeerAgent {
  readonly #url: string;
  credential = randomBytes(32).toString('base64url');
  journalId: string = randomUUID();
  incarnation = 0;
  number = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async call(method: 'GET' | 'POST', path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.#url}/agent/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.credential}`,
        ...(this.incarnation === 0 ? {} : { [incarnationHeader]: String(this.incarnation) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    const read: PeerAnswer = {
      status: answer.status,
      headers: answer.headers,
      body: json ? JSON.parse(bytes.toString('utf8')) : {},
      bytes,
    };
    return read;
  }

  enrol(token: string): Promise<PeerAnswer> {
    const { credential } = this;
    return this.call('POST', 'enrol', {
      token,
      credentialHash: hashOf(credential),
      protocol: protocolVersion,
      version: '1.2.3',
      hostname: 'peer.example.com',
    });
  }

  /** Enrols and says hello. */
  async join(token: string, more: Partial<HelloRequest> = {}): Promise<HelloAnswer> {
    enrolAnswer.parse(good(await this.enrol(token)));
    return await this.hello(more);
  }

  async hello(more: Partial<HelloRequest> = {}): Promise<HelloAnswer> {
    const { journalId } = this;
    const said = { protocol: protocolVersion, version: '1.2.3', image: 'ballast-agent:1.2.3-000000000000', facts };
    const answer = await this.call('POST', 'hello', { ...said, journalId, journalled: [], ...more });
    const read = helloAnswer.parse(good(answer));
    this.incarnation = read.incarnation;
    this.number = 0;
    return read;
  }

  async heartbeat(running: string[] = [], told?: Facts): Promise<z.infer<typeof heartbeatAnswer>> {
    return heartbeatAnswer.parse(good(await this.call('POST', 'heartbeat', { running, facts: told })));
  }

  async report(slices: ObservedSlice[], more: Partial<Report> = {}): Promise<void> {
    this.number += 1;
    good(await this.call('POST', 'report', { number: this.number, full: false, appliedRevision: 0, slices, ...more }));
  }

  async work(since: number, wait = 0): Promise<Work> {
    return work.parse(good(await this.call('GET', `work?since=${since}&wait=${wait}`)));
  }

  /** Those who read logs here. */
  async readers(): Promise<LogReader[]> {
    const answer = work.parse(good(await this.call('GET', 'work?since=1000&wait=0&logs=none')));
    return answer.logs?.readers ?? [];
  }

  /** Whether it was taken. */
  async log(readerId: string, batch: LogBatch): Promise<boolean> {
    const { taken } = good(await this.call('POST', `logs/${readerId}`, batch)) as { taken: boolean };
    return taken;
  }

  async output(id: string, pieces: OutputPiece[]): Promise<void> {
    good(await this.call('POST', `commands/${id}/output`, { pieces }));
  }

  async result(id: string, result: Partial<CommandResult> = {}): Promise<void> {
    good(await this.call('POST', `commands/${id}/result`, { attempt: 1, outcome: 'done', ...result }));
  }
}

export const facts: Facts = {
  driver: 'process',
  runtimeVersion: 'v24',
  platform: { os: 'linux', arch: 'x64' },
  nodes: [{ name: 'one', ready: true, server: true, cpuMilli: 2000, memoryBytes: 4_000_000_000 }],
  holds: {
    memoryLimit: { holds: true },
    cpuLimit: { holds: true },
    ownUser: { holds: true },
    isolation: { holds: false, why: 'Processes share the machine.' },
    logRotation: { holds: true },
    volumeUsage: { holds: true },
  },
};

export function observedSlice(key: string, more: Partial<ObservedSlice> = {}): ObservedSlice {
  return { key, appliedRevision: 0, instances: [], volumes: [], traffic: [], ...more };
}

/** A chunk of a stream that begins at this position. */
export function logChunk(stream: LogStream, position: number, text: string, at = Date.now()): LogChunk {
  const bytes = Buffer.from(text);
  return { stream, position, next: position + bytes.length, at, data: bytes.toString('base64') };
}

export function hashOf(credential: string): string {
  return createHash('sha256').update(credential, 'utf8').digest('hex');
}

function good(answer: PeerAnswer): unknown {
  if (answer.status === 200) return answer.body;
  throw new Error(`The control plane answered ${answer.status}: ${answer.bytes.toString('utf8')}`);
}
