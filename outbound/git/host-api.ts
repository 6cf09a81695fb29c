import type { z } from 'zod';
import type { GitProvider } from '../../domain/git/connections.ts';
import type { PublicAnswer } from '../exchange.ts';
import { OutboundFailed } from '../failures.ts';
import { askGitHost, type GitRules } from './ask.ts';

/** Where and as whom a host is asked. */
export interface GitHostAccess {
  host: string;
  token: string;
}

export interface GitAccount {
  /** Empty where the host does not say it. */
  login: string;
  missingPermissions: string[];
}

export interface GitRepository {
  cloneUrl: string;
  defaultBranch: string;
  fullName: string;
  private: boolean;
}

export interface GitStatus {
  state: 'pending' | 'success' | 'failure' | 'error';
  description: string;
  targetUrl: string;
  /** Names the status among others of the commit. */
  context: string;
}

/** A provider's interface, as its documentation describes it. */
export interface GitHostApi {
  provider: GitProvider;
  account(): Promise<GitAccount>;
  repositories(q: string): Promise<GitRepository[]>;
  setStatus(repository: string, commit: string, status: GitStatus): Promise<void>;
}

const mostBytes = 6 * 1_048_576;
const mostPages = 10;
const mostRepositories = 200;

interface Interface {
  host: string;
  base: string;
  secretHeaders: Record<string, string>;
  headers?: Record<string, string>;
}

/** Asks one host's interface with its token. No message has more of an answer than its status. */
export class ApiClient {
  readonly #to: Interface;
  readonly #rules: GitRules;

  constructor(to: Interface, rules: GitRules) {
    this.#to = to;
    this.#rules = rules;
  }

  async ask(path: string, json?: unknown): Promise<PublicAnswer> {
    const { base, secretHeaders, headers: more } = this.#to;
    const headers = { accept: 'application/json', ...more };
    const question = { headers, secretHeaders, maxBytes: mostBytes };
    const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
    const posted = { method: 'POST' as const, headers: { ...headers, 'content-type': 'application/json' } };
    return await askGitHost(`${base}${path}`, body ? { ...question, ...posted, body } : question, this.#rules);
  }

  /** The answer to a question that must be allowed and answered. */
  async read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const answer = await this.ask(path);
    if (answer.status !== 200) throw this.failed(answer.status);
    return this.parsed(answer, schema);
  }

  parsed<T>({ body }: PublicAnswer, schema: z.ZodType<T>): T {
    try {
      const read = schema.safeParse(JSON.parse(body.toString('utf8')));
      if (read.success) return read.data;
    } catch {
      // The same as JSON of another form.
    }
    throw new OutboundFailed(`${this.#to.host} answered something else than its documentation says.`);
  }

  failed(status: number): OutboundFailed {
    const why: Record<number, string> = {
      401: `${this.#to.host} refuses the token (401): it is wrong, or has expired or been revoked.`,
      403: `${this.#to.host} does not allow this to the token (403).`,
      404: `${this.#to.host} does not have this, or does not show it to the token (404).`,
      429: `${this.#to.host} refuses more questions for now (429); try again in some minutes.`,
    };
    return new OutboundFailed(why[status] ?? `${this.#to.host} answered ${status}.`);
  }

  /** Those whose full name has the text, from as many pages as are read. */
  async pages<T>(
    pathOf: (page: number) => string,
    pageSize: number,
    schema: z.ZodType<T[]>,
    repositoryOf: (one: T) => GitRepository,
    q: string,
  ): Promise<GitRepository[]> {
    const found = new Map<string, GitRepository>();
    for (let page = 1; page <= mostPages && found.size < mostRepositories; page += 1) {
      const items = await this.read(pathOf(page), schema);
      for (const item of items) {
        const repository = repositoryOf(item);
        if (repository.fullName.toLowerCase().includes(q.toLowerCase())) found.set(repository.fullName, repository);
      }
      if (items.length < pageSize) break;
    }
    return [...found.values()].slice(0, mostRepositories);
  }
}
