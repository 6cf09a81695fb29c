import { PassThrough, type Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { completion, elementsOf, textOf } from './s3-answers.ts';
import { S3Absent, S3Failed } from './s3-failures.ts';
import { askBucket, readText, type S3Request, type S3Response, type S3Target, unreachable } from './s3-request.ts';

/** An object as lists tell of it. */
export interface S3Object {
  key: string;
  size: number;
  changedAt: Date;
}

/** A multipart upload that was neither completed nor aborted. */
export interface S3Upload {
  key: string;
  uploadId: string;
  begunAt: Date;
}

export interface S3Part {
  number: number;
  etag: string;
}

export interface S3Bytes {
  pieces: readonly Buffer[];
  /** Hexadecimal, if it is known. */
  sha256?: string;
}

/** Except for the last one, a part has at least so many bytes, and an object at most so many parts. */
export const leastPartBytes = 5 * 1024 * 1024;
export const mostParts = 10_000;

/** For what the server has to copy before it answers. */
const patienceMillis = 120_000;

/** One bucket, beneath one prefix. Throws `S3Absent` for what is not there, and `S3Failed` for everything else. */
export class S3Client {
  readonly #target: S3Target;
  readonly #dispatcher: Dispatcher;

  /** `dispatcher` decides where connections may go: see README.md. By default anywhere. */
  constructor(target: S3Target, dispatcher?: Dispatcher) {
    this.#target = target;
    this.#dispatcher = dispatcher ?? new Agent({ connect: { timeout: 3_000 }, bodyTimeout: 60_000 });
  }

  /** Throws unless the bucket is there and the credential opens it. */
  async reach(): Promise<void> {
    await this.#text({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1', prefix: this.#target.prefix } });
  }

  async put(key: string, body: S3Bytes): Promise<void> {
    await this.#done({ method: 'PUT', key, body, patienceMillis });
  }

  /** Undefined: there is no such object. */
  async size(key: string): Promise<number | undefined> {
    try {
      const { headers, body } = await this.#ask({ method: 'HEAD', key });
      await body.dump();
      return Number(headers['content-length'] ?? 0);
    } catch (error) {
      if (error instanceof S3Absent) return undefined;
      throw error;
    }
  }

  /** From the first byte to the last one, that included. */
  async get(key: string, range?: { first: number; last: number }): Promise<Readable> {
    const headers = range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` };
    const { statusCode, body } = await this.#ask({ method: 'GET', key, headers });
    if (range !== undefined && statusCode !== 206) {
      body.destroy();
      throw new S3Failed(
        `The bucket ${this.#target.bucket} does not answer with the part that was asked for.`,
        'range',
      );
    }
    // Its failures are ours, and a reader that leaves ends the request.
    const read = new PassThrough({ highWaterMark: 256 * 1024 });
    body.on('error', (error) => read.destroy(unreachable(this.#target, error)));
    read.once('close', () => body.destroy());
    return body.pipe(read);
  }

  async delete(key: string): Promise<void> {
    await this.#done({ method: 'DELETE', key }).catch(absent);
  }

  async copy(from: string, to: string): Promise<void> {
    await this.#text({ method: 'PUT', key: to, headers: this.#copied(from), patienceMillis });
  }

  /** Objects whose key begins so, in pages. */
  async *list(prefix: string): AsyncGenerator<S3Object[]> {
    let after: string | undefined;
    do {
      const query = { 'list-type': '2', prefix: `${this.#target.prefix}${prefix}` };
      const xml = await this.#text({
        method: 'GET',
        query: after === undefined ? query : { ...query, 'continuation-token': after },
      });
      yield elementsOf(xml, 'Contents').map((one) => ({
        key: this.#relative(textOf(one, 'Key')),
        size: Number(textOf(one, 'Size') ?? 0),
        changedAt: new Date(textOf(one, 'LastModified') ?? 0),
      }));
      after = textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : undefined;
    } while (after !== undefined);
  }

  /** Begins an object that is put together from parts; answers the upload's id. Nothing is to be seen until it is completed. */
  async beginMultipart(key: string): Promise<string> {
    const uploadId = textOf(await this.#text({ method: 'POST', key, query: { uploads: '' } }), 'UploadId');
    if (uploadId !== undefined) return uploadId;
    throw new S3Failed(`The bucket ${this.#target.bucket} began an upload without an id.`, 'UploadId');
  }

  async putPart(key: string, uploadId: string, number: number, body: S3Bytes): Promise<S3Part> {
    const query = { partNumber: String(number), uploadId };
    const { headers, body: rest } = await this.#ask({ method: 'PUT', key, query, body, patienceMillis });
    await rest.dump();
    return { number, etag: String(headers.etag ?? '') };
  }

  /** A part that is in the bucket already: its bytes do not come this way. */
  async copyPart(key: string, uploadId: string, number: number, from: string): Promise<S3Part> {
    const query = { partNumber: String(number), uploadId };
    const xml = await this.#text({ method: 'PUT', key, query, headers: this.#copied(from), patienceMillis });
    return { number, etag: textOf(xml, 'ETag') ?? '' };
  }

  /** All parts become the object at once. */
  async completeMultipart(key: string, uploadId: string, parts: readonly S3Part[]): Promise<void> {
    const xml = Buffer.from(completion(parts.toSorted((one, other) => one.number - other.number)));
    const headers = { 'content-type': 'application/xml' };
    await this.#text({ method: 'POST', key, query: { uploadId }, headers, body: { pieces: [xml] }, patienceMillis });
  }

  async abortMultipart(key: string, uploadId: string): Promise<void> {
    await this.#done({ method: 'DELETE', key, query: { uploadId } }).catch(absent);
  }

  /** Multipart uploads that are open, of keys that begin so, in pages. */
  async *listMultipart(prefix: string): AsyncGenerator<S3Upload[]> {
    let after: Record<string, string> | undefined = {};
    while (after !== undefined) {
      const query = { uploads: '', prefix: `${this.#target.prefix}${prefix}`, ...after };
      const xml = await this.#text({ method: 'GET', query });
      yield elementsOf(xml, 'Upload').map((one) => ({
        key: this.#relative(textOf(one, 'Key')),
        uploadId: textOf(one, 'UploadId') ?? '',
        begunAt: new Date(textOf(one, 'Initiated') ?? 0),
      }));
      const next = {
        'key-marker': textOf(xml, 'NextKeyMarker'),
        'upload-id-marker': textOf(xml, 'NextUploadIdMarker'),
      };
      const { 'key-marker': key = '', 'upload-id-marker': id = '' } = next;
      after = textOf(xml, 'IsTruncated') === 'true' ? { 'key-marker': key, 'upload-id-marker': id } : undefined;
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  #copied(from: string): Record<string, string> {
    const path = `${this.#target.bucket}/${this.#target.prefix}${from}`;
    return { 'x-amz-copy-source': `/${path.split('/').map(encodeURIComponent).join('/')}` };
  }

  #relative(key = ''): string {
    return key.slice(this.#target.prefix.length);
  }

  async #ask(request: S3Request): Promise<S3Response> {
    return await askBucket(this.#target, this.#dispatcher, request);
  }

  async #text(request: S3Request): Promise<string> {
    return await readText(this.#target, request, await this.#ask(request));
  }

  async #done(request: S3Request): Promise<void> {
    await (await this.#ask(request)).body.dump();
  }
}

function absent(error: unknown): void {
  if (!(error instanceof S3Absent)) throw error;
}
