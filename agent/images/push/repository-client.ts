import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { backOff } from '../../../domain/back-off.ts';
import { type Answered, RegistryRefusal, type RegistryWay, type Sent } from './registry-way.ts';

export interface BlobProgress {
  digest: string;
  size: number;
  /** How many of its bytes have arrived. */
  sent: number;
  /** The registry had it already. */
  reused: boolean;
}

/** So often in a row may a push break off without having brought anything. */
const mostFailures = 6;
const pauses = { first: 200, longest: 2_000 };
/** In seconds: rates are counted by the minute. */
const longestAsked = 60;

/** Speaks the distribution protocol to one repository. */
export class RepositoryClient {
  readonly #way: RegistryWay;
  readonly #repository: string;
  readonly #signal: AbortSignal | undefined;

  /** `repository` is `<organization>/<project>/<service>`, by their slugs. */
  constructor(way: RegistryWay, repository: string, signal?: AbortSignal) {
    this.#way = way;
    this.#repository = repository;
    this.#signal = signal;
  }

  async putManifest(
    bytes: Buffer,
    mediaType: string,
    tag: string | undefined,
  ): Promise<{ digest: string; mediaType: string }> {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const headers = { 'content-type': mediaType };
    await this.#patiently(() => this.#ask('PUT', `manifests/${tag ?? digest}`, [201], { body: bytes, headers }));
    return { digest, mediaType };
  }

  /** Pushes a blob that the repository does not have in one request, which is given anew if it fails. */
  async putBlob(open: () => Buffer | Readable, { digest, size }: { digest: string; size: number }): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    await this.#patiently(() => this.#ask('POST', `blobs/uploads/?digest=${digest}`, [201], { body: open(), headers }));
  }

  /** Whether this control plane takes packs for the source; an older one does not. */
  async takesPacks(sourceId: string): Promise<boolean> {
    const headers = { 'content-length': '0' };
    const { status } = await this.#patiently(() =>
      this.#ask('POST', `_ballast/packs/${sourceId}`, [200, 404, 405], { headers }),
    );
    return status === 200;
  }

  /** Sends many small blobs of the source in one request, which is given anew if it fails. */
  async putPack(sourceId: string, open: () => Readable, size: number): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    await this.#patiently(() => this.#ask('POST', `_ballast/packs/${sourceId}`, [200], { body: open(), headers }));
  }

  /** Pushes the file unless the repository has it; in parts of that size, if it is larger. */
  async pushBlob(
    path: string,
    { digest, size }: { digest: string; size: number },
    onBlob: ((progress: BlobProgress) => void) | undefined,
    partBytes = size,
  ): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== size)
      throw new RegistryRefusal(`${path} is not as long as the image says; build the image again.`);
    const told = (sent: number, reused = false) => onBlob?.({ digest, size, sent, reused });
    if (await this.#has(digest)) return told(size, true);
    let place = await this.#patiently(() => this.#begin());
    for (let failures = 0, offset = 0; ; ) {
      try {
        for (; offset < size; offset = Math.min(size, offset + partBytes)) {
          await this.#send(path, place, { offset, end: Math.min(size, offset + partBytes) }, told);
        }
        await this.#ask('PUT', `${place}${place.includes('?') ? '&' : '?'}digest=${digest}`, [201], {
          headers: { 'content-length': '0' },
        });
        return told(size);
      } catch (error) {
        this.#signal?.throwIfAborted();
        const isGone = error instanceof RegistryRefusal && error.status === 404;
        if (!isGone && !mayPass(error)) throw error;
        const arrived = isGone ? undefined : await this.#arrived(place).catch(() => undefined);
        // The upload may have ended well, and its answer may have been lost.
        if (arrived === undefined && (await this.#has(digest))) return told(size);
        if (arrived === undefined) place = await this.#patiently(() => this.#begin());
        failures = !this.#counts(error) || (arrived ?? 0) > offset ? 0 : failures + 1;
        offset = arrived ?? 0;
        if (failures >= mostFailures) throw error;
        await this.#pause(error, Math.max(1, failures));
      }
    }
  }

  async #has(digest: string): Promise<boolean> {
    const { status } = await this.#patiently(() => this.#ask('HEAD', `blobs/${digest}`, [200, 404]));
    return status === 200;
  }

  async #begin(): Promise<string> {
    const { headers } = await this.#ask('POST', 'blobs/uploads/', [202], { headers: { 'content-length': '0' } });
    return String(headers.location ?? '');
  }

  /** How many bytes of an upload are there; undefined: it has ended. */
  async #arrived(place: string): Promise<number | undefined> {
    const answer = await this.#patiently(() => this.#ask('GET', place, [204, 404]));
    if (answer.status === 404) return undefined;
    const last = Number(/^0-(\d+)$/.exec(String(answer.headers.range))?.[1] ?? 0);
    // Nothing and one byte look the same; the first byte is sent again if need be.
    return last === 0 ? await this.#restarted(place) : last + 1;
  }

  async #restarted(place: string): Promise<undefined> {
    await this.#ask('DELETE', place, [204, 404]);
    return undefined;
  }

  async #send(
    path: string,
    place: string,
    { offset, end }: { offset: number; end: number },
    told: (sent: number) => void,
  ): Promise<void> {
    const file = createReadStream(path, { start: offset, end: end - 1, highWaterMark: 256 * 1024 });
    let sent = offset;
    async function* counted() {
      for await (const piece of file) {
        yield piece;
        sent += piece.length;
        told(sent);
      }
    }
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': String(end - offset),
      'content-range': `${offset}-${end - 1}`,
    };
    await this.#ask('PATCH', place, [202], { body: Readable.from(counted(), { objectMode: false }), headers });
  }

  /** A control plane that is being restarted answers in a moment. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1, failures = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (this.#counts(error)) failures += 1;
        if (!mayPass(error) || failures >= mostFailures) throw error;
        await this.#pause(error, tries);
      }
    }
  }

  /** One that is asked too often says when to come again: its minute passes, however often that is. */
  #counts(error: unknown): boolean {
    return !isTooMany(error) && this.#way.isAway?.(error) !== true;
  }

  async #pause(error: unknown, tries: number): Promise<void> {
    const asked = isTooMany(error) ? Math.min(error.afterSeconds ?? 1, longestAsked) * 1_000 : 0;
    await pause(Math.max(asked, backOff(tries, pauses)), undefined, { signal: this.#signal });
  }

  async #ask(
    method: Parameters<RegistryWay['ask']>[0],
    path: string,
    good: readonly number[],
    sent: Sent = {},
  ): Promise<Answered> {
    const target = path.startsWith('/') ? path : `/v2/${this.#repository}/${path}`;
    const answer = await this.#way.ask(method, target, sent);
    if (good.includes(answer.status)) return answer;
    const { code, message } = refusalOf(answer.text, answer.status, this.#way.host);
    const after = Number(answer.headers['retry-after'] ?? Number.NaN);
    throw new RegistryRefusal(message, answer.status, code, Number.isFinite(after) ? after : undefined);
  }
}

/** Refusals stay what they are; connections break, and overload passes. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof RegistryRefusal)) return true;
  return error.status === 409 || error.status === 416 || error.status === 429 || error.status >= 500;
}

function isTooMany(error: unknown): error is RegistryRefusal {
  return error instanceof RegistryRefusal && error.status === 429;
}

function refusalOf(text: string, status: number, host: string): { code: string; message: string } {
  try {
    const { errors }: { errors?: { code?: string; message?: string }[] } = JSON.parse(text);
    const [{ code = '', message } = {}] = errors ?? [];
    if (message !== undefined) return { code, message };
  } catch {
    // Of something between us and the registry.
  }
  return { code: '', message: `The registry at ${host} answered ${status}.` };
}
