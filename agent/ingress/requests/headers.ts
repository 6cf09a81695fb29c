import { setsOurCookie, withoutOurCookies } from './cookies.ts';

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
/** Headers that only a proxy may set about a client. Applications often read `_` as `-` in names. */
const saidByProxies = new Set([
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-forwarded-prefix',
  'x-forwarded-ssl',
  'x-forwarded-scheme',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'forwarded',
]);
const sane = /^[\x21-\x7e]{1,200}$/;

export interface Sender {
  /** The address that the connection comes from. */
  address: string;
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
    const dashed = key.includes('_') ? key.replaceAll('_', '-') : key;
    if (key === 'cookie') cookies.push(value);
    else if (saidByProxies.has(dashed)) told.set(key, [...(told.get(key) ?? []), value]);
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

function namedByConnection(headers: RawHeaders): ReadonlySet<string> {
  const value = header(headers, 'connection')?.toLowerCase();
  if (value === undefined || value === 'keep-alive' || value === 'close') return none;
  return new Set(value.split(',').map((token) => token.trim()));
}
