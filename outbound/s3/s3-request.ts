import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request as send } from 'undici';
import { OutboundFailed, OutboundRefused } from '../failures.ts';
import { textOf } from './s3-answers.ts';
import { S3Absent, S3Failed } from './s3-failures.ts';

/** A bucket, and the credential for it. */
export interface S3Target {
  /** `https://s3.eu-central-1.amazonaws.com`, without the bucket. */
  endpoint: string;
  region: string;
  bucket: string;
  /** The bucket is in the path, not in the host's name. */
  pathStyle: boolean;
  /** Before each key: empty, or ends with a slash. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without one the bucket itself is asked. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** How long the server may take to begin its answer. */
  patienceMillis?: number;
  /** The body, in pieces that are sent as they are, and its SHA-256 if it is known. */
  body?: { pieces: readonly Buffer[]; sha256?: string };
}

export type S3Response = Dispatcher.ResponseData;

const attempts = 3;
const firstPauseMillis = 200;
const shortMillis = 10_000;
/** Of an answer that is read whole. The longest list of a thousand keys is below it. */
const longestText = 8 * 1024 * 1024;
const ofNothing = createHash('sha256').digest('hex');
/** Of a server that is busy, or of one before it. */
const passing = new Set([429, 500, 502, 503, 504]);

/**
 * Sends a request, again if its failure may pass. Each may be sent twice without harm. Answers what came with a status of
 * success; its body is the caller's to read or to dump.
 */
export async function askBucket(target: S3Target, dispatcher: Dispatcher, request: S3Request): Promise<S3Response> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === attempts;
    const answer = await sendOnce(target, dispatcher, request).catch((error: unknown) => {
      if (last || isFinal(error)) throw unreachable(target, error);
      return undefined;
    });
    if (answer !== undefined && answer.statusCode < 300) return answer;
    if (answer !== undefined && (last || !passing.has(answer.statusCode)))
      throw await failureOf(target, request, answer);
    await answer?.body.dump();
    await pause(firstPauseMillis * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

/** An address at which an object can be fetched without the credential, until so many seconds are over. */
export async function presignedAddress(target: S3Target, key: string, seconds: number): Promise<string> {
  const address = addressOf(target, { method: 'GET', key, query: { 'X-Amz-Expires': String(seconds) } });
  const { accessKeyId, secretAccessKey, region } = target;
  const signer = new AwsV4Signer({
    url: address.href,
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    signQuery: true,
  });
  return (await signer.sign()).url.href;
}

/** The whole text of an answer. Some servers say 200 first and find out later that it failed. */
export async function readText(target: S3Target, request: S3Request, { body }: S3Response): Promise<string> {
  const text = await wholeText(target, body);
  if (/<Error[\s>]/.test(text)) throw refusal(target, request, 200, text);
  return text;
}

async function sendOnce(target: S3Target, dispatcher: Dispatcher, request: S3Request): Promise<S3Response> {
  const { method, headers, body } = request;
  const pieces = body?.pieces ?? [];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const signer = new AwsV4Signer({
    method,
    url: addressOf(target, request).href,
    headers: { ...headers, 'x-amz-content-sha256': body === undefined ? ofNothing : (body.sha256 ?? sha256Of(pieces)) },
    accessKeyId: target.accessKeyId,
    secretAccessKey: target.secretAccessKey,
    service: 's3',
    region: target.region,
  });
  const signed = await signer.sign();
  return await send(signed.url, {
    dispatcher,
    method,
    headersTimeout: request.patienceMillis ?? shortMillis,
    headers: {
      ...Object.fromEntries(signed.headers),
      ...(method === 'PUT' || method === 'POST' ? { 'content-length': String(length) } : {}),
    },
    body: length === 0 ? null : Readable.from(pieces, { objectMode: false }),
  });
}

async function wholeText(target: S3Target, body: S3Response['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > longestText) throw new S3Failed(`${placeOf(target)} answers more than a store does.`, 'too long');
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof S3Failed ? error : unreachable(target, error);
  }
  return Buffer.concat(pieces).toString();
}

/** A server that did not answer in time is not asked again, since somebody waits; nor is one that has no address, or none that may be asked. */
function isFinal(error: unknown): boolean {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return true;
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_HEADERS_TIMEOUT';
}

function addressOf({ endpoint, bucket, pathStyle, prefix }: S3Target, { key, query = {} }: S3Request): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const base = url.pathname.replace(/\/$/, '') + (pathStyle ? `/${bucket}` : '');
  const path = key === undefined ? '' : `${prefix}${key}`.split('/').map(encodeURIComponent).join('/');
  url.pathname = `${base}/${path}`;
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  url.search = pairs.join('&');
  return url;
}

function sha256Of(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

async function failureOf(target: S3Target, request: S3Request, answer: S3Response): Promise<S3Failed> {
  const text = await wholeText(target, answer.body).catch(() => '');
  return refusal(target, request, answer.statusCode, text);
}

function refusal(target: S3Target, { key }: S3Request, status: number, xml: string): S3Failed {
  const said = textOf(xml, 'Code') ?? '';
  const code = /^\w{1,64}$/.test(said) ? said : '';
  // Of HEAD there is no text. That a bucket or an account is not there is another matter.
  if (status === 404 && key !== undefined && ['', 'NoSuchKey', 'NoSuchUpload'].includes(code)) {
    return new S3Absent(`${placeOf(target)} has no such object or upload.`, code);
  }
  const told = code === '' ? String(status) : `${status} ${code}`;
  return new S3Failed(`${placeOf(target)} answered ${told}${remedyOf(code)}.`, code === '' ? String(status) : code);
}

function remedyOf(code: string): string {
  if (code === 'SignatureDoesNotMatch') return ': its secret access key is another one';
  if (code === 'InvalidAccessKeyId') return ': it does not know the access key id';
  if (code === 'AccessDenied') return ': the access key may not do this';
  if (code === 'NoSuchBucket') return ': there is no such bucket';
  return '';
}

/** The network's code and no more of its message; of an address that may not be reached the sentence of its refusal. */
export function unreachable(target: S3Target, cause: unknown): S3Failed {
  if (cause instanceof OutboundRefused || cause instanceof OutboundFailed)
    return new S3Failed(cause.message, cause.name);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it did not answer';
  return new S3Failed(`${placeOf(target)} cannot be reached: ${code}.`, code);
}

function placeOf({ bucket, endpoint }: S3Target): string {
  return `The bucket ${bucket} at ${new URL(endpoint).host}`;
}
