let browsers = 0;

/** A browser as far as HTTP can tell: it keeps cookies, names itself, and goes where it is sent, a step at a time. */
export class Browser {
  readonly url: string;
  readonly userAgent: string;
  /** Where it calls from, as a proxy in front of the API says. */
  readonly address = `198.51.100.${++browsers % 256}`;
  readonly cookies = new Map<string, string>();

  constructor(url: string, userAgent = 'Test browser') {
    this.url = url;
    this.userAgent = userAgent;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return await this.#go(path, { method: 'GET', headers });
  }

  async post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Shown> {
    const body = new URLSearchParams(fields);
    return await this.#go(path, { method: 'POST', body, headers: { origin: this.url, ...headers } });
  }

  async #go(path: string, request: RequestInit & { headers: Record<string, string> }): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = {
      accept: 'text/html',
      'user-agent': this.userAgent,
      'x-forwarded-for': this.address,
      ...(cookie === '' ? {} : { cookie }),
    };
    const answer = await fetch(new URL(path, this.url), {
      ...request,
      redirect: 'manual',
      headers: { ...sent, ...request.headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name === undefined) continue;
      if (value === undefined || value === '' || /;\s*max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = answer.headers.get('location') ?? undefined;
    return { status: answer.status, text: await answer.text(), location, headers: answer.headers };
  }
}

export interface Shown {
  status: number;
  text: string;
  location: string | undefined;
  headers: Headers;
}
