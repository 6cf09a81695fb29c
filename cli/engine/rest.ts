import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Option } from './command.ts';
import { type Credential, headersOf, ofTheEnvironment, tokenOf, urlOfTheEnvironment } from './credential.ts';
import { Passing, repeated } from './repeated.ts';
import { printable } from './table.ts';

/** The API did not do what was asked of it; the message is what it said. */
export class RestRefusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly errors: readonly FieldFault[];
  /** The request would be carried out with `downtimeAccepted`. */
  readonly downtime: boolean;
  /** Or with `missingAccepted`. */
  readonly missing: boolean;

  constructor(
    message: string,
    status = 0,
    errors: readonly FieldFault[] = [],
    { downtime = false, missing = false }: { downtime?: boolean; missing?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.downtime = downtime;
    this.missing = missing;
  }
}

/** A stream that was cut in the middle; it may be read on from its last event. */
export class LostConnection extends RestRefusal {}

/** The fault of one field of the request. */
export interface FieldFault {
  location: string;
  message: string;
}

/** So long is a control plane waited for that never answered, and one that did and is perhaps being restarted. */
const firstPatience = 3_000;
const patience = 30_000;

/** Options of every command that calls the API. */
export const restOptions = {
  url: { type: 'string', value: 'URL', what: 'The control plane; BALLAST_URL, or the one on this machine.' },
  'token-file': { type: 'string', value: 'FILE', what: 'File with an API token, instead of BALLAST_TOKEN.' },
  json: { type: 'boolean', what: 'Print JSON.' },
} as const satisfies Record<string, Option>;

export interface Address {
  url?: string | undefined;
  'token-file'?: string | undefined;
}

type Json = Record<string, unknown>;

/** The API as a command speaks to it: over REST, with an API token unless another credential is given. */
export class Rest {
  readonly url: string;
  readonly #credential: Credential;
  readonly #signal: AbortSignal | undefined;
  #answered = false;

  /** `signal`: nothing is asked or waited for beyond it. */
  constructor(given: Address | Rest, signal?: AbortSignal, credential?: Credential) {
    this.#signal = signal;
    if (given instanceof Rest) {
      // A token file may be a pipe, which is read once.
      this.url = given.url;
      this.#credential = credential ?? given.#credential;
      this.#answered = given.#answered;
      return;
    }
    this.url = checkedUrl(given.url ?? urlOfTheEnvironment());
    this.#credential = credential ?? tokenOf(given['token-file'], ofTheEnvironment().token);
  }

  /** The same control plane, asked for only as long as this signal lets. */
  until(signal: AbortSignal): Rest {
    return new Rest(this, signal);
  }

  /** For the registry of the control plane, which has a protocol of its own. */
  get credential(): { url: string; token: string } {
    return { url: this.url, token: 'token' in this.#credential ? this.#credential.token : '' };
  }

  /** The answer's body; an empty object for an empty answer. */
  async call<Answer = Json>(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = await this.#send(method, path, body, (answer) => answer.text(), this.#signal);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  }

  /** All items of a list, however many pages it has. */
  async all<Item>(
    path: string,
    most = Number.POSITIVE_INFINITY,
    filters: Record<string, string> = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ ...filters, limit: '200', ...(cursor === undefined ? {} : { cursor }) });
      const page = await this.call<{ items: Item[]; nextCursor?: string }>('GET', `${path}?${query}`);
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined && items.length < most);
    return items.slice(0, most);
  }

  /** The events of a stream, until it ends. A connection that is lost is a `LostConnection`. */
  async *events(
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<{ event: string; data: Json; id?: string }, void, undefined> {
    const answer = await this.#send('GET', path, undefined, async (begun) => begun, signal);
    let rest = '';
    for await (const text of this.#texts(answer, signal)) {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const refused = /^: refused: ?(.*)$/m.exec(frame)?.[1];
        if (refused !== undefined) throw new RestRefusal(sentence(printable(refused)), answer.status);
        const found = /^event: (\w+)$/m.exec(frame)?.[1];
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        const id = /^id: (.*)$/m.exec(frame)?.[1];
        if (found === undefined || data === undefined) continue;
        yield { event: found, data: JSON.parse(data) as Json, ...(id === undefined ? {} : { id }) };
      }
    }
  }

  async *#texts(answer: Response, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of answer.body ?? []) yield decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new LostConnection(`The connection to ${this.url} was lost (${reasonOf(error)}).`);
    }
  }

  /** Reads are repeated when the connection fails, and writes by their Idempotency-Key, so that they are done once. */
  async #send<T>(
    method: string,
    path: string,
    body: unknown,
    read: (answer: Response) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const key: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    // Told as it was at the beginning: an answer that is a refusal changes it.
    const millis = this.#patience;
    const waiting = (why: string) => {
      process.stderr.write(`ballast: ${why}; it is tried again for ${millis / 1000} s.\n`);
    };
    const attempt = async () => {
      const answer = await this.#attempt(method, path, body, key, signal);
      // An answer that breaks off is none: its control plane was killed in the middle.
      return await read(answer).catch((error: unknown) => this.#passing(error, signal));
    };
    return await repeated({ millis, waiting, signal }, attempt).catch((error: unknown) => {
      if (!(error instanceof Passing)) throw error;
      throw new RestRefusal(`${error.message}; ${error.help}.`);
    });
  }

  get #patience(): number {
    return this.#answered ? patience : firstPatience;
  }

  async #attempt(
    method: string,
    path: string,
    body: unknown,
    key: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        ...headersOf(this.#credential),
        ...key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      // The credential is for this address alone.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => this.#passing(error, signal));
    this.#answered = true;
    if (answer.ok) return answer;
    const text = await answer.text().catch((error: unknown) => this.#passing(error, signal));
    const refusal = refusalOf(answer.status, text, this.url);
    if (!isPassing(answer)) throw refusal;
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const help = 'try again later, or see what `./ballast doctor` says there';
    throw new Passing(refusal.message.replace(/\.$/, ''), help, Number.isFinite(after) ? after : undefined);
  }

  #passing(error: unknown, signal: AbortSignal | undefined): never {
    if (signal?.aborted === true) throw error;
    const why = `The control plane at ${this.url} does not answer (${reasonOf(error)})`;
    throw new Passing(why, 'start it with `./ballast up`, or set BALLAST_URL');
  }
}

/** The API's problem, with the fields that it names. */
function refusalOf(status: number, text: string, url: string): RestRefusal {
  let problem: { detail?: unknown; errors?: unknown; downtime?: unknown; missing?: unknown } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // Somebody else answers there.
  }
  if (typeof problem.detail !== 'string') {
    return new RestRefusal(`What answers at ${url} is no control plane (status ${status}); check BALLAST_URL.`, status);
  }
  const errors = (Array.isArray(problem.errors) ? problem.errors : []).map(faultOf);
  // The detail repeats the first of them.
  const detail =
    errors.length === 0 ? problem.detail : faultsText(errors.map((fault) => ({ ...fault, ...inWords(fault) })));
  const asks = { downtime: problem.downtime !== undefined, missing: problem.missing !== undefined };
  return new RestRefusal(printableLines(detail), status, errors, asks);
}

function faultOf(error: { location?: unknown; message?: unknown }): FieldFault {
  return { location: String(error.location ?? ''), message: String(error.message ?? '') };
}

/** Who types a command knows nothing of the body or the query that it becomes. */
function inWords({ location }: FieldFault): { location: string } {
  return { location: location.replace(/^(body|query|path|header)\.?/, '') };
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`.replace(/\.\.$/, '.');
}

/** One in a sentence, several in a line each. */
export function faultsText(faults: readonly FieldFault[]): string {
  const texts = faults.map(({ location, message }) => (location === '' ? message : `${location}: ${message}`));
  const [only = ''] = texts;
  return texts.length === 1 ? `${only}.`.replace(/\.\.$/, '.') : ['These are wrong:', ...texts].join('\n  ');
}

export function printableLines(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '?');
}

/** Not there for a moment, or the same request is still at work. */
function isPassing({ status, headers }: Response): boolean {
  return [502, 503, 504].includes(status) || (status === 409 && headers.has('retry-after'));
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new RestRefusal(
      `"${printable(text)}" is no address of a control plane; set BALLAST_URL or give --url, such as http://localhost:8088.`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new RestRefusal(
      `${url.origin} would carry the credential in clear text; set BALLAST_URL or give --url with its https address.`,
    );
  }
  return url.origin;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
