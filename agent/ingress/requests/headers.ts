import type { Readable } from 'node:stream';

/** The control plane's own cookies: a browser that shares its host with an application would hand them over. */
const ours = /^[\s"=]*svc_/i;

/** The part of a `Cookie` header that an application may see; undefined if nothing is left. */
function withoutOurCookies(header: string): string | undefined {
  if (!/svc_/i.test(header)) return header;
  const kept = header
    .split(';')
    .filter((pair) => !ours.test(pair))
    .join(';')
    .trim();
  return kept === '' ? undefined : kept;
}

/**
 * Whether an application tries to set one of them. A cookie without a name counts, too: browsers send `=svc_x=1` back as
 * `svc_x=1`.
 */
function setsOurCookie(header: string): boolean {
  return ours.test(header);
}

/** Names and values in turn, as they came, so that nothing about them is changed that need not be. */
export type RawHeaders = readonly string[];

const perConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
/**
 * Headers in which proxies speak about a client or about the request as it was before them. Applications believe them, so
 * that a stranger's would be believed, too; frameworks route by some, and CGI makes `HTTP_PROXY` of `Proxy`.
 */
const saidByProxies = new Set([
  ...['forwarded', 'x-forwarded', 'forwarded-for', 'x-real-ip', 'x-client-ip', 'client-ip', 'true-client-ip'],
  ...['x-cluster-client-ip', 'x-remote-ip', 'x-remote-addr', 'x-originating-ip', 'x-original-forwarded-for'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-pseudo-ipv4', 'fastly-client-ip', 'fly-client-ip'],
  ...['x-azure-clientip', 'x-azure-socketip', 'x-envoy-external-address', 'x-appengine-user-ip'],
  ...['proxy', 'x-original-url', 'x-original-uri', 'x-original-host', 'x-rewrite-url', 'x-rewrite-uri'],
  ...['x-host', 'x-http-host-override', 'x-scheme', 'front-end-https', 'x-url-scheme'],
]);
const alsoSaidByProxies = /^x-forwarded-/;
const sane = /^[\x21-\x7e]{1,200}$/;

interface Sender {
  /** The address that the connection comes from. */
  address: string;
  /** The address of the client itself: the same one, unless a trusted proxy speaks for it. */
  client: string;
  /** The host as the client wrote it. */
  authority: string;
  /** Whether it is a proxy of ours, which speaks for somebody behind it. */
  trusted: boolean;
  requestId: string;
}

export function header(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}

/** The id that the client gave its request, if it is one that can be logged. */
export function givenRequestId(headers: RawHeaders): string | undefined {
  const given = header(headers, 'x-request-id');
  return given !== undefined && sane.test(given) ? given : undefined;
}

/** A client's headers as an instance gets them. The host is not among them. */
export function toInstance(headers: RawHeaders, sender: Sender): string[] {
  const named = namedByConnection(headers);
  const cookies: string[] = [];
  const told = new Map<string, string[]>();
  const passed: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    const key = name.toLowerCase();
    // Applications often read `_` as `-` in names.
    const dashed = key.includes('_') ? key.replaceAll('_', '-') : key;
    if (key === 'cookie') cookies.push(value);
    else if (saidByProxies.has(dashed) || alsoSaidByProxies.test(dashed))
      told.set(key, [...(told.get(key) ?? []), value]);
    else if (key === 'host' || key === 'expect' || dashed === 'x-request-id') continue;
    else if (!perConnection.has(key) && !named.has(key)) passed.push(name, value);
  }
  const cookie = cookies.length > 0 ? withoutOurCookies(cookies.join('; ')) : undefined;
  if (cookie !== undefined) passed.push('Cookie', cookie);
  const before = (name: string): string[] => (sender.trusted ? (told.get(name) ?? []) : []);
  passed.push(
    'X-Forwarded-For',
    [...before('x-forwarded-for'), sender.address].join(', '),
    'X-Forwarded-Proto',
    before('x-forwarded-proto')[0] ?? 'http',
    'X-Forwarded-Host',
    before('x-forwarded-host')[0] ?? sender.authority,
    'X-Real-IP',
    sender.client,
    'X-Request-Id',
    sender.requestId,
  );
  return passed;
}

/** An instance's headers as the client gets them. */
export function toClient(headers: RawHeaders, status: number): string[] {
  const named = namedByConnection(headers);
  const passed: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    const key = name.toLowerCase();
    if (perConnection.has(key) || named.has(key)) continue;
    if (key === 'set-cookie' && setsOurCookie(value)) continue;
    if (key === 'content-length' && status === 204) continue;
    passed.push(name, value);
  }
  return passed;
}

const none: ReadonlySet<string> = new Set();

/** Names in any of the `Connection` headers: with only one of them read, a second one would let its headers through. */
function namedByConnection(headers: RawHeaders): ReadonlySet<string> {
  let named: Set<string> | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== 'connection') continue;
    const value = headers[at + 1]?.toLowerCase() ?? '';
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const token of value.split(',')) named.add(token.trim());
  }
  return named ?? none;
}

/** A request as a client made it, in either version of HTTP. */
export interface RequestHead {
  protocol: 'http1' | 'h2c';
  method: string;
  /** With the query. */
  path: string;
  /** Every host that the request names; more than one different is refused. */
  hosts: readonly string[];
  headers: RawHeaders;
  /** Undefined if there is none. */
  body: Readable | undefined;
  address: string;
  /** Its connection is one too many of its client's. */
  crowded: boolean;
}

/** The answer to the client. */
export interface Reply {
  readonly begun: boolean;
  /** `last`: nothing comes after it, not even trailers. */
  head(status: number, headers: RawHeaders, last: boolean): void;
  data(chunk: Buffer): boolean;
  end(trailers: RawHeaders): void;
  /** Breaks it off so that the client sees that it is not whole. */
  cut(): void;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
}
