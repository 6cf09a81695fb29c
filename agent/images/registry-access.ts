import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { Agent, request } from 'undici';
import { Refusal } from '../program/refusal.ts';
import { isLoopback, type Repository } from './repository.ts';

const mostRedirects = 5;
const largestToken = 256 * 1024;

export interface Credential {
  username: string;
  password: string;
}

export interface Answer {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `dump` reads a short rest, so that the connection can be used again. */
  body: Readable & { dump?(options: { limit: number }): Promise<void> };
}

/** The way to one repository. */
export interface Access {
  readonly host: string;
  /** Gets what is beneath the repository. */
  get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

/** Requests to one repository, with the credential that it asks for. Sentences name hosts only: addresses may be signed. */
export class RegistryAccess implements Access {
  readonly #repository: Repository;
  readonly #credential: Credential | undefined;
  readonly #agent = registryAgent();
  readonly #plain: boolean;
  #authorization: string | undefined;

  constructor(repository: Repository, credential: Credential | undefined) {
    this.#repository = repository;
    this.#credential = credential;
    this.#plain = repository.registry.protocol === 'http:';
    checkAddress(repository.registry, repository.registry, this.#plain);
  }

  get host(): string {
    return this.#repository.registry.host;
  }

  close(): void {
    // Requests that are shared with another reader finish first.
    this.#agent.close().catch(() => {});
  }

  /** Gets what is beneath the repository, signing in if it must, and follows where it is led. */
  async get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    const url = new URL(`/v2/${this.#repository.path}/${path}`, this.#repository.registry);
    const answer = await this.#follow(url, headers, signal);
    if (answer.statusCode !== 401) return answer;
    await discard(answer);
    await this.#signIn(challengesOf(answer), signal);
    const again = await this.#follow(url, headers, signal);
    if (again.statusCode !== 401) return again;
    await discard(again);
    throw this.#refused();
  }

  async #follow(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    let target = url;
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const own = target.origin === this.#repository.registry.origin && this.#authorization !== undefined;
      const authorization = own ? { authorization: this.#authorization } : {};
      const answer = await this.#send(target, { ...headers, ...authorization }, signal);
      const { location } = answer.headers;
      if (answer.statusCode < 301 || answer.statusCode > 308 || typeof location !== 'string') return answer;
      await discard(answer);
      if (!URL.canParse(location, target.href)) throw new Refusal(`${target.host} redirects to an invalid address.`);
      const next = new URL(location, target);
      checkAddress(next, target, this.#plain);
      target = next;
    }
    throw new Refusal(`${this.host} redirects without end.`);
  }

  async #send(url: URL, headers: Record<string, string | undefined>, signal: AbortSignal): Promise<Answer> {
    const sent = { 'accept-encoding': 'identity', 'user-agent': 'ballast-agent', ...headers };
    try {
      return await request(url, { dispatcher: this.#agent, method: 'GET', headers: sent, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      throw new Error(`${url.host} could not be reached: ${codeOf(error)}.`);
    }
  }

  async #signIn(challenges: readonly Challenge[], signal: AbortSignal): Promise<void> {
    const bearer = challenges.find(({ scheme, parameters }) => scheme === 'bearer' && parameters.realm !== undefined);
    if (bearer !== undefined) this.#authorization = `Bearer ${await this.#token(bearer.parameters, signal)}`;
    else if (challenges.some(({ scheme }) => scheme === 'basic') && this.#credential !== undefined) {
      this.#authorization = basic(this.#credential);
    } else throw this.#refused();
  }

  async #token(parameters: Record<string, string>, signal: AbortSignal): Promise<string> {
    const { registry, path } = this.#repository;
    const { realm = '', service, scope } = parameters;
    if (!URL.canParse(realm)) throw new Refusal(`${this.host} names an invalid address for signing in.`);
    const url = new URL(realm);
    checkAddress(url, registry, this.#plain);
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', scope ?? `repository:${path}:pull`);
    const headers = this.#credential === undefined ? {} : { authorization: basic(this.#credential) };
    const answer = await this.#send(url, headers, signal);
    if ([400, 401, 403, 404].includes(answer.statusCode)) {
      await discard(answer);
      throw this.#refused();
    }
    const token = answer.statusCode === 200 ? tokenOf(await readBounded(answer, largestToken, url.host)) : undefined;
    if (answer.statusCode !== 200) await discard(answer);
    if (token !== undefined) return token;
    throw new Error(`${url.host} answered ${answer.statusCode} without a token for ${this.host}.`);
  }

  #refused(): Refusal {
    return new Refusal(
      this.#credential === undefined
        ? `${this.host} gives nobody ${this.#repository.path} without credentials; name some with the image.`
        : `${this.host} refuses the credentials for ${this.#repository.path}.`,
    );
  }
}

export async function readBounded(answer: Answer, limit: number, host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      const piece: Buffer = chunk;
      bytes += piece.length;
      if (bytes > limit) throw new Refusal(`${host} answers more than ${limit} bytes, which is too much.`);
      chunks.push(piece);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Error(`${host} broke off its answer: ${codeOf(error)}.`);
  }
  return Buffer.concat(chunks);
}

/** Lets go of an answer that nobody reads. */
export async function discard(answer: Answer): Promise<void> {
  const late = pause(1_000, undefined, { ref: false });
  await Promise.race([answer.body.dump?.({ limit: 65_536 }).catch(() => {}), late]);
  answer.body.on('error', () => {}).destroy();
}

/** The code of a failure and no more: messages may hold addresses that carry signatures. */
export function codeOf(error: unknown): string {
  const cause = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof cause === 'string' ? cause : 'the connection failed';
}

interface Challenge {
  scheme: string;
  parameters: Record<string, string>;
}

function challengesOf(answer: Answer): Challenge[] {
  const header = answer.headers['www-authenticate'] ?? [];
  return (typeof header === 'string' ? [header] : header).map((text) => ({
    scheme: text.trim().split(/\s/)[0]?.toLowerCase() ?? '',
    parameters: Object.fromEntries(
      [...text.slice(0, 8192).matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [
        name.toLowerCase(),
        value,
      ]),
    ),
  }));
}

function basic({ username, password }: Credential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function tokenOf(bytes: Buffer): string | undefined {
  try {
    const { token, access_token: other }: { token?: unknown; access_token?: unknown } = JSON.parse(bytes.toString());
    const found = token ?? other;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Addresses of cloud metadata services beyond the link-local ones; their answers contain credentials. */
const metadata = new Set(['fd00:ec2::254', '100.100.100.200']);

/**
 * A registry may be private, but what it names, by redirects and realms, must not lead to what only this machine should
 * reach. Addresses are looked at when the connection is made, so that a name cannot mean something else by then.
 */
export function registryAgent(): Agent {
  return new Agent({
    connect: { lookup: checkedLookup, timeout: 15_000 },
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
    connections: 8,
  });
}

/** Checks what can be told without asking anybody. `plain` is whether http may be spoken. */
export function checkAddress(url: URL, from: URL, plain: boolean): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plain)) {
    throw new Refusal(`${from.host} leads to ${url.host} by ${url.protocol}//, but only https:// is spoken to it.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Refusal(`${from.host} leads to an address that carries a user name or a password.`);
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) > 0) checkReach(url.host, literal);
  if (isLoopback(url) && !isLoopback(from)) {
    throw new Refusal(`${from.host} leads to ${url.host}, which is this machine itself.`);
  }
}

const checkedLookup: LookupFunction = (host, options, answer) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answer(error, '');
    try {
      for (const { address } of addresses) checkReach(host, address);
    } catch (refused) {
      return answer(refused instanceof Error ? refused : new Error(String(refused)), '');
    }
    const [first] = addresses;
    if (options.all === true) answer(null, addresses);
    else answer(null, first?.address ?? '', first?.family);
  });
};

function checkReach(host: string, address: string): void {
  const plain = ipaddr.process(address.replace(/%.*$/, ''));
  const range = plain.range();
  if (range === 'linkLocal' || range === 'unspecified' || range === 'multicast' || metadata.has(plain.toString())) {
    throw new Refusal(`${host} is ${address}, an address that no registry has; it is not reached.`);
  }
}
