import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../program/refusal.ts';
import { type Descriptor, largestManifest } from './manifest.ts';
import { type Access, type Answer, codeOf, discard, readBounded } from './registry-access.ts';
import type { Source } from './source.ts';

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');
const tagShape = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** So often in a row may a download break off without having brought anything. */
const mostFailures = 5;
/** A registry that sends less than this for long is as good as none. */
const slowestBytesPerMilli = 16;

/** A repository of a registry, by the distribution protocol of the OCI. */
export class Registry implements Source {
  readonly name: string;
  readonly #tag: string;
  readonly #access: Access;

  constructor(name: string, access: Access, tag = 'latest') {
    this.name = name;
    this.#tag = tag;
    if (!tagShape.test(this.#tag)) throw new Refusal(`${JSON.stringify(this.#tag)} is not a valid image tag.`);
    this.#access = access;
  }

  async root(signal: AbortSignal): Promise<Buffer> {
    return await this.#manifest(this.#tag, `the tag ${this.#tag}`, signal);
  }

  async manifest(digest: string, signal: AbortSignal): Promise<Buffer> {
    return await this.#manifest(digest, `the image ${digest}`, signal);
  }

  /** Goes on where it broke off; whether that was right tells the digest. */
  async *blob({ digest, size }: Descriptor, signal: AbortSignal): AsyncGenerator<Buffer> {
    const late = AbortSignal.timeout(60_000 + Math.ceil(size / slowestBytesPerMilli));
    let received = 0;
    for (let failures = 0; ; failures += 1) {
      const before = received;
      try {
        const answer = await this.#blobFrom(digest, received, AbortSignal.any([signal, late]));
        for await (const chunk of skipping(answer, received)) {
          received += chunk.length;
          yield chunk;
        }
        if (received >= size) return;
        throw new Error(`${this.#access.host} broke off its answer.`);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Refusal) throw error;
        if (received > before) failures = 0;
        if (failures >= mostFailures || late.aborted) {
          throw new Error(`${this.name}: ${digest} could not be fetched: ${sentenceOf(error)}`);
        }
        await pause(100 * 2 ** failures * (0.5 + Math.random()), undefined, { signal });
      }
    }
  }

  close(): void {
    this.#access.close();
  }

  async #manifest(reference: string, what: string, signal: AbortSignal): Promise<Buffer> {
    const answer = await this.#access.get(`manifests/${reference}`, { accept: manifestTypes }, signal);
    if (answer.statusCode === 200) return await readBounded(answer, largestManifest, this.#access.host);
    throw await this.#failure(answer, what);
  }

  async #blobFrom(digest: string, from: number, signal: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
    const answer = await this.#access.get(`blobs/${digest}`, headers, signal);
    if (answer.statusCode === 200 || answer.statusCode === 206) return answer;
    throw await this.#failure(answer, `the blob ${digest}`);
  }

  async #failure(answer: Answer, what: string): Promise<Error> {
    const { statusCode } = answer;
    await discard(answer);
    if (statusCode === 404) return new Refusal(`${this.name} does not have ${what}.`);
    if (statusCode === 403)
      return new Refusal(`${this.#access.host} does not let these credentials read ${this.name}.`);
    return new Error(`${this.#access.host} answered ${statusCode} when it was asked for ${what} of ${this.name}.`);
  }
}

/** The part of an answer that was not received before, whether the answer starts there or at the beginning. */
async function* skipping(answer: Answer, received: number): AsyncGenerator<Buffer> {
  let skip = received;
  if (answer.statusCode === 206) {
    const begins = /^bytes (\d+)-/.exec(String(answer.headers['content-range']))?.[1];
    if (Number(begins) !== received) {
      await discard(answer);
      throw new Error('The registry answers with another part than was asked for.');
    }
    skip = 0;
  }
  for await (const chunk of answer.body) {
    const piece: Buffer = chunk;
    const rest = piece.subarray(Math.min(skip, piece.length));
    skip -= piece.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error && error.message.endsWith('.') ? error.message : `${codeOf(error)}.`;
}
