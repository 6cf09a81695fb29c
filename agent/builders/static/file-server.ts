import { createHash } from 'node:crypto';
import { createReadStream, realpathSync, type Stats } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

// The program of images of static sites: it stands alone in them, so it imports nothing of ours.

const types: Readonly<Record<string, string>> = {
  ...{ html: 'text/html; charset=utf-8', htm: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8' },
  ...{ js: 'text/javascript; charset=utf-8', mjs: 'text/javascript; charset=utf-8', json: 'application/json' },
  ...{ map: 'application/json', webmanifest: 'application/manifest+json', xml: 'application/xml' },
  ...{ txt: 'text/plain; charset=utf-8', md: 'text/markdown; charset=utf-8', csv: 'text/csv; charset=utf-8' },
  ...{ svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif' },
  ...{ webp: 'image/webp', avif: 'image/avif', ico: 'image/vnd.microsoft.icon', bmp: 'image/bmp' },
  ...{ woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf', otf: 'font/otf', wasm: 'application/wasm' },
  ...{ pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip', mp3: 'audio/mpeg' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', ogg: 'audio/ogg', wav: 'audio/wav' },
};
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

interface Found {
  path: string;
  stats: Stats;
}

/** Serves the files beneath a folder, and nothing else: no listing, no hidden file, no link that leads out of it. */
export async function fileServer(folder: string) {
  const root = await realpath(folder);
  const fallback = await fallbackOf(root);
  return createServer((request, response) => {
    serve(root, fallback, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else end(response, 500, 'The file could not be read.');
    });
  });
}

/** For addresses that lead nowhere: 404.html, or else the one page of an application that has no other. */
async function fallbackOf(root: string): Promise<{ name: string; status: number } | undefined> {
  if ((await found(root, '404.html')) !== undefined) return { name: '404.html', status: 404 };
  const pages = (await readdir(root, { recursive: true })).filter((name) => /\.html?$/.test(name));
  return pages.length === 1 && pages[0] === 'index.html' ? { name: 'index.html', status: 200 } : undefined;
}

async function serve(
  root: string,
  fallback: { name: string; status: number } | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  response.setHeader('x-content-type-options', 'nosniff');
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, 405, 'Only GET and HEAD are answered here.');
  }
  const query = url.indexOf('?');
  const path = nameOf(query < 0 ? url : url.slice(0, query));
  if (path === undefined) return end(response, 400, 'The address is not a path of this site.');
  const exact = await found(root, path.endsWith('/') || path === '' ? `${path}index.html` : path);
  if (exact !== undefined) return await send(root, exact, 200, request, response);
  if (!path.endsWith('/') && path !== '') {
    if ((await found(root, `${path}/index.html`)) !== undefined) {
      // The name alone: what was asked may hold a host of its own, behind two slashes.
      const place = `/${path.split('/').map(encodeURIComponent).join('/')}/${query < 0 ? '' : url.slice(query)}`;
      response.writeHead(308, { location: place }).end();
      return;
    }
    const page = await found(root, `${path}.html`);
    if (page !== undefined) return await send(root, page, 200, request, response);
  }
  // A missing image is missing, also in an application of one page.
  const spare = fallback === undefined || (fallback.status === 200 && extname(path) !== '') ? undefined : fallback;
  const page = spare === undefined ? undefined : await found(root, spare.name);
  if (page === undefined || spare === undefined) return end(response, 404, 'There is no such page.');
  await send(root, page, spare.status, request, response);
}

/** Beneath the root, without a slash in front; undefined if it is no path, leads up, or is hidden. */
function nameOf(path: string): string | undefined {
  try {
    const name = decodeURIComponent(path)
      .replace(/^\/+/, '')
      .replace(/\/{2,}/g, '/');
    const parts = name.split('/');
    const hidden = parts.some((part) => part.startsWith('.') && part !== '.well-known');
    return path.startsWith('/') && !hidden && !/[\0\\]/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

async function found(root: string, name: string): Promise<Found | undefined> {
  try {
    const path = await realpath(join(root, name));
    if (!path.startsWith(`${root}${sep}`)) return undefined;
    const stats = await stat(path);
    return stats.isFile() ? { path, stats } : undefined;
  } catch {
    return undefined;
  }
}

async function send(
  root: string,
  plain: Found,
  status: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = request;
  const name = plain.path;
  let chosen = plain;
  response.setHeader('content-type', types[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream');
  for (const { name: encoding, ending } of encodings) {
    const packed = await found(root, `${name.slice(root.length + 1)}${ending}`);
    if (packed === undefined) continue;
    response.setHeader('vary', 'accept-encoding');
    if (chosen !== plain || headers.range !== undefined || !accepts(headers['accept-encoding'], encoding)) continue;
    response.setHeader('content-encoding', encoding);
    chosen = packed;
  }
  const etag = `"${chosen.stats.size.toString(16)}-${await digestOf(chosen)}"`;
  response.setHeader('etag', etag);
  response.setHeader('last-modified', new Date(chosen.stats.mtimeMs).toUTCString());
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('accept-ranges', 'bytes');
  const known = headers['if-none-match'];
  if (status === 200 && known !== undefined && tagsOf(known).some((one) => one === '*' || one === etag)) {
    response.removeHeader('content-type');
    response.writeHead(304).end();
    return;
  }
  const whole = headers['if-range'] !== undefined && headers['if-range'] !== etag;
  const range = status === 200 && !whole ? rangeOf(headers.range, chosen.stats.size) : undefined;
  if (range === 'none') {
    response.setHeader('content-range', `bytes */${chosen.stats.size}`);
    return end(response, 416, 'The file has no such range.');
  }
  const { from, to } = range ?? { from: 0, to: chosen.stats.size - 1 };
  if (range !== undefined) response.setHeader('content-range', `bytes ${from}-${to}/${chosen.stats.size}`);
  response.writeHead(range === undefined ? status : 206, { 'content-length': to - from + 1 });
  if (request.method === 'HEAD' || chosen.stats.size === 0) {
    response.end();
    return;
  }
  // Nobody is left to be told of a client that went away.
  await pipeline(createReadStream(chosen.path, { start: from, end: to }), response).catch(() => response.destroy());
}

const digests = new Map<string, string>();

/** All files of an image have the same time, so that a tag is made of what they hold; the image never changes. */
async function digestOf({ path, stats }: Found): Promise<string> {
  const key = `${path} ${stats.size} ${stats.mtimeMs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  const file = await open(path);
  for await (const piece of file.createReadStream()) hash.update(piece);
  const digest = hash.digest('hex').slice(0, 20);
  digests.set(key, digest);
  return digest;
}

function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((one) => {
      const [name = '', quality = ''] = one.split(';').map((part) => part.trim());
      return name === encoding && !/^q=0(?:\.0*)?$/.test(quality);
    });
}

/** One range; of several, and of what is none, all is sent. */
function rangeOf(header: string | undefined, size: number): { from: number; to: number } | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < from) return undefined;
  return from > to ? 'none' : { from, to };
}

function end(response: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`;
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

const [, program, folder = '.'] = process.argv;
if (program !== undefined && realpathSync(program) === import.meta.filename) {
  const server = await fileServer(folder);
  const port = Number(process.env.PORT || 8080);
  server.listen(port, () => process.stdout.write(`Serving on port ${port}.\n`));
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => server.close(() => process.exit(0)));
}
