import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { inspect } from 'node:util';
import type Dockerode from 'dockerode';
import { Refusal } from '../../program/refusal.ts';

/** Docker 20.10. */
const oldest = '1.41';
/** The newest that this was written for; later ones are asked to speak it. */
const newest = '1.54';
const quickMilliseconds = 60_000;

interface Version {
  Version: string;
  ApiVersion: string;
  MinAPIVersion?: string;
  Os: string;
  Arch: string;
}

/** Whether an engine that can be used answers there within two seconds. */
export async function engineAnswers(socket: string): Promise<boolean> {
  return await askVersion(socket, 2_000).then(
    (version) => spoken(version) !== undefined,
    () => false,
  );
}

/** An engine at a socket. It may go and come back between any two calls, perhaps as another version. */
export class Engine {
  readonly socket: string;
  #met: Promise<{ version: Version; quick: Dockerode; patient: Dockerode }> | undefined;

  constructor(socket: string) {
    this.socket = socket;
  }

  async version(): Promise<Version> {
    return (await this.#meet()).version;
  }

  /** For what an engine answers at once. */
  async ask<T>(work: (docker: Dockerode) => Promise<T>): Promise<T> {
    const { quick } = await this.#meet();
    return await work(quick).catch((error: unknown) => this.#explain(error));
  }

  /** For what takes as long as it takes. */
  async wait<T>(work: (docker: Dockerode) => Promise<T>): Promise<T> {
    const { patient } = await this.#meet();
    return await work(patient).catch((error: unknown) => this.#explain(error));
  }

  /** A stream of bytes, which the client would gather in memory first. */
  async open(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { version } = await this.#meet();
    const answer = await get(this.socket, `/v${spoken(version)}${path}`, signal).catch((e: unknown) =>
      this.#explain(e),
    );
    if (answer.statusCode === 200) return answer;
    const text = await textOf(answer);
    throw Object.assign(new Error(`The Docker engine says: ${messageIn(text)}`), { statusCode: answer.statusCode });
  }

  #meet(): Promise<{ version: Version; quick: Dockerode; patient: Dockerode }> {
    this.#met ??= this.#negotiate().catch((error: unknown) => this.#explain(error));
    return this.#met;
  }

  async #negotiate(): Promise<{ version: Version; quick: Dockerode; patient: Dockerode }> {
    const version = await askVersion(this.socket, 10_000);
    const speak = spoken(version);
    if (speak === undefined) {
      throw new Refusal(
        `The Docker engine at ${this.socket} is version ${version.Version}, which speaks API ${version.MinAPIVersion ?? '?'} to ${version.ApiVersion}; use Docker 20.10 or later.`,
      );
    }
    const { default: Docker } = await import('dockerode');
    // The client would otherwise listen to DOCKER_HOST, and keep connections that a restarted engine does not know.
    const to = {
      socketPath: this.socket,
      host: '',
      protocol: 'http',
      version: `v${speak}`,
      agent: new OneTimeAgent(),
    } as const;
    return {
      version,
      quick: new Docker({ ...to, timeout: quickMilliseconds }),
      patient: new Docker({ ...to, timeout: 0 }),
    };
  }

  #explain(error: unknown): never {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (statusOf(error) === undefined || statusOf(error) === 400) this.#met = undefined;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new Error(`This user may not use the Docker engine at ${this.socket}; add it to the socket's group.`);
    }
    if (typeof code === 'string' && /^E(CONN|NOENT|PIPE|NOTSOCK)/.test(code)) {
      throw new Error(`The Docker engine at ${this.socket} does not answer; start it.`, { cause: error });
    }
    throw error;
  }
}

/** The client describes each request with all that is in it, for a debugger that is not there: that would be most of its work. */
class OneTimeAgent extends Agent {
  [inspect.custom](): string {
    return 'OneTimeAgent';
  }
}

/** The HTTP status of the engine's answer; undefined if it did not answer. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** For calls about what need not be there: nothing, where the engine answers one of these statuses. */
export function unless(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error;
  };
}

/** The error in the lines that an engine says while it pulls or loads an image. */
export async function failureIn(said: NodeJS.ReadableStream, signal: AbortSignal): Promise<string | undefined> {
  let text = '';
  said.on('data', (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-4_096);
  });
  await once(said, 'end', { signal });
  return /"error":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
}

/** The engine's own message, without the client's wrapping. */
export function saidBy(error: unknown): string {
  const said = error instanceof Error && 'json' in error ? error.json : undefined;
  if (typeof said === 'object' && said !== null && 'message' in said) return String(said.message);
  return error instanceof Error ? error.message : String(error);
}

function spoken({ ApiVersion, MinAPIVersion }: Version): string | undefined {
  const version = minor(ApiVersion) < minor(newest) ? ApiVersion : newest;
  return minor(version) >= minor(oldest) && minor(version) >= minor(MinAPIVersion ?? oldest) ? version : undefined;
}

function minor(version: string): number {
  const [major = 0, rest = 0] = version.split('.').map(Number);
  return major * 1_000 + rest;
}

async function askVersion(socket: string, milliseconds: number): Promise<Version> {
  const signal = AbortSignal.timeout(milliseconds);
  const version: unknown = JSON.parse(await textOf(await get(socket, '/version', signal)));
  if (typeof version === 'object' && version !== null && 'ApiVersion' in version) return version as Version;
  throw new Error(`The program at ${socket} is not a Docker engine.`);
}

function get(socketPath: string, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, signal, agent: false, headers: { host: 'docker' } }, resolve);
    asked.on('error', reject);
    asked.end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 1024 * 1024) throw new Error('The Docker engine says too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message);
  } catch {
    return text.trim();
  }
}
