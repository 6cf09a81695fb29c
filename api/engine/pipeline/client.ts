import type { IncomingHttpHeaders } from 'node:http';
import { ownCookie } from './cookies.ts';

interface ClientRequest {
  address: string;
  requestId: string;
  headers: IncomingHttpHeaders;
  setCookies: string[];
}

/** Who is at the other end of a request, as far as sign-in is concerned. */
export class Client {
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The host that was asked for, by the browser or by a proxy in front of us. */
  readonly host: string | undefined;
  readonly #incoming: ClientRequest;

  constructor(incoming: ClientRequest) {
    this.#incoming = incoming;
    this.address = incoming.address;
    this.requestId = incoming.requestId;
    this.userAgent = incoming.headers['user-agent'];
    this.host = incoming.headers.host;
  }

  /** The value of one of our cookies; two of one name are refused. */
  cookie(name: 'svc_session' | 'svc_oidc'): string | undefined {
    return ownCookie(this.#incoming.headers.cookie, name);
  }

  /** Goes out with the answer, whether it succeeds or fails. `secure`: only over https. */
  setCookie(
    name: 'svc_session' | 'svc_oidc',
    value: string,
    options: { maxAgeSeconds: number; secure: boolean },
  ): void {
    const { maxAgeSeconds, secure } = options;
    const attributes = [
      'HttpOnly',
      'SameSite=Lax',
      'Path=/',
      `Max-Age=${maxAgeSeconds}`,
      ...(secure ? ['Secure'] : []),
    ];
    this.#incoming.setCookies.push([`${name}=${value}`, ...attributes].join('; '));
  }
}
