import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { errorCode } from '../supervisor/refusal.ts';

/** Why something could not be downloaded: half a sentence that names the host. */
export class DownloadFailure extends Error {
  override readonly name = 'DownloadFailure';
}

export interface DownloadLimits {
  bytes: number;
  /** How long nothing may arrive. */
  idleMilliseconds: number;
  /** How long all of it may take. */
  totalMilliseconds: number;
}

interface Download {
  url: URL;
  /** Where HTTPS_PROXY and NO_PROXY are read. */
  env: NodeJS.ProcessEnv;
  limits: DownloadLimits;
}

const connectMilliseconds = 8_000;
/** Release hosts hand over to a store of theirs, some of them twice. */
const mostRedirects = 5;

export async function downloadText(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  await fetchBody(download, async (body) => {
    for await (const chunk of body) chunks.push(chunk);
  });
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes what is at an address into a file and answers its SHA-256. */
export async function downloadFile(
  download: Download & { into: string; onBytes: (done: number, total: number | undefined) => void },
): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  await fetchBody(download, (body, total) => {
    const count = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        hash.update(chunk);
        done += chunk.length;
        download.onBytes(done, total);
        next(null, chunk);
      },
    });
    return pipeline(body, count, createWriteStream(download.into, { flags: 'wx', mode: 0o600 }));
  });
  return hash.digest('hex');
}

type Body = AsyncIterable<Buffer>;

async function fetchBody(
  { url, env, limits }: Download,
  read: (body: Body, total: number | undefined) => Promise<void>,
): Promise<void> {
  const dispatcher = agentOf(env);
  const signal = AbortSignal.timeout(limits.totalMilliseconds);
  let at = url;
  try {
    for (let redirects = 0; ; redirects += 1) {
      if (at.protocol !== 'https:') throw new DownloadFailure(`${at.host} was to be asked without https`);
      const answer = await request(at, {
        dispatcher,
        signal,
        headersTimeout: limits.idleMilliseconds,
        bodyTimeout: limits.idleMilliseconds,
      });
      // The reader gets the error; an unread body ends with the dispatcher, which is not an error.
      answer.body.on('error', () => {});
      const { location } = answer.headers;
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
        if (redirects === mostRedirects) throw new DownloadFailure(`${url.host} redirects again and again`);
        at = new URL(location, at);
        continue;
      }
      if (answer.statusCode !== 200) {
        throw new DownloadFailure(`${at.host} answers ${answer.statusCode}`);
      }
      await read(bounded(answer, at.host, limits.bytes), lengthOf(answer));
      return;
    }
  } catch (error) {
    throw error instanceof DownloadFailure ? error : new DownloadFailure(`${at.host}: ${reasonOf(error)}`);
  } finally {
    await dispatcher.destroy();
  }
}

async function* bounded(answer: Dispatcher.ResponseData, host: string, most: number): Body {
  const tooMuch = `${host} sends more than ${most} bytes`;
  if ((lengthOf(answer) ?? 0) > most) throw new DownloadFailure(tooMuch);
  let seen = 0;
  for await (const chunk of answer.body) {
    seen += chunk.length;
    if (seen > most) throw new DownloadFailure(tooMuch);
    yield chunk;
  }
}

function lengthOf({ headers }: Dispatcher.ResponseData): number | undefined {
  const length = Number(headers['content-length']);
  return Number.isSafeInteger(length) && length > 0 ? length : undefined;
}

function agentOf(env: NodeJS.ProcessEnv): Dispatcher {
  return new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: env.HTTPS_PROXY ?? env.https_proxy ?? '',
    noProxy: env.NO_PROXY ?? env.no_proxy ?? '',
    connect: { timeout: connectMilliseconds },
  });
}

const strangersCertificate =
  'its certificate is of an authority that is not trusted (NODE_EXTRA_CA_CERTS names a file with more)';

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'no name server answers',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection broke off',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no route to it',
  ENOSPC: 'the disk is full',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: strangersCertificate,
  DEPTH_ZERO_SELF_SIGNED_CERT: strangersCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: strangersCertificate,
  UND_ERR_CONNECT_TIMEOUT: 'no connection within eight seconds',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'nothing more arrives',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection broke off',
};

/** In words where they are known, else the code: messages of libraries are no help in a sentence. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unreadable';
  if (error.name === 'TimeoutError') return 'it takes too long';
  // Several addresses of one host were tried; any of them tells the same.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = errorCode(error);
  if (code === '' && error.cause !== undefined) return reasonOf(error.cause);
  return reasons[code] ?? (code || error.name);
}
