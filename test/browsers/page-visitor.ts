let visitors = 0;

/** A browser without script: it has cookies, follows redirects and sends forms as browsers do. */
export class PageVisitor {
  readonly url: string;
  /** An address per visitor, so that one does not use up the guesses of another. */
  readonly #address = `203.0.113.${++visitors % 256}`;
  #cookies: { name: string; path: string; value: string }[] = [];

  constructor(url: string) {
    this.url = url;
  }

  async get(path: string): Promise<Seen> {
    return await this.#go('GET', path);
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Seen> {
    return await this.#go('POST', path, new URLSearchParams(fields), { origin: this.url, ...headers });
  }

  async #go(method: string, path: string, body?: URLSearchParams, headers: Record<string, string> = {}): Promise<Seen> {
    const address = new URL(path, this.url);
    if (address.origin === this.url && address.pathname === '/api/v1/auth/callback') {
      return { status: 303, path: address.href, text: '', headers: new Headers() };
    }
    const answer = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { 'x-forwarded-for': this.#address, ...headers, cookie: this.#cookiesFor(address.pathname) },
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie);
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location !== null) return await this.#go('GET', new URL(location, address).href);
    return { status: answer.status, path: address.pathname + address.search, text, headers: answer.headers };
  }

  #cookiesFor(path: string): string {
    return this.#cookies
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split(/;\s*/);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (value !== '') this.#cookies.push({ name, path, value });
  }
}

export interface Seen {
  status: number;
  /** Where the redirects ended. Those to the callback are not followed. */
  path: string;
  text: string;
  headers: Headers;
}
