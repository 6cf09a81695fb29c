import { randomBytes } from 'node:crypto';

export interface Shown {
  status: number;
  headers: Headers;
  text: string;
  /** Where it leads, if it leads on. */
  location: string | undefined;
}

/** A browser, as far as the API can tell. No redirect is followed by itself, so that tests can check each step. */
export class SignInBrowser {
  readonly origin: string;
  readonly cookies = new Map<string, string>();
  userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';
  /** Each has an address of its own, so that limits for one address are not met. */
  readonly address: string;

  constructor(origin: string) {
    this.origin = origin;
    const [a, b, c] = randomBytes(3);
    this.address = `10.${a}.${b}.${c}`;
  }

  get(address: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send(address, { headers });
  }

  /** Sends a form from one of the pages. */
  post(address: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send(address, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin, ...headers },
    });
  }

  async #send(address: string, init: RequestInit & { headers: Record<string, string> }): Promise<Shown> {
    const answer = await fetch(new URL(address, this.origin), {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html,*/*;q=0.8',
        'user-agent': this.userAgent,
        'x-forwarded-for': this.address,
        ...(this.cookies.size === 0
          ? {}
          : { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...init.headers,
      },
    });
    for (const one of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (one.split(';')[0] ?? '').split(/=(.*)/s);
      if (/; Max-Age=0(;|$)/.test(one)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
      location: answer.headers.get('location') ?? undefined,
    };
  }
}
