import type { BrowserContext, Page, Request } from 'playwright-core';
import { patient } from '../run/patience.ts';

/**
 * Somebody's browser session, all of whose pages are watched: a script that fails, a policy that is broken, a file that is
 * missing, a request that fails, a request to any other host.
 */
export class Visitor {
  readonly context: BrowserContext;
  /** The first tab. */
  readonly page: Page;
  readonly complaints: string[] = [];
  /** Every address that a tab was at, and every one that was asked for. */
  readonly addresses = new Set<string>();
  /** Requests that are not answered yet, since when. */
  readonly underWay = new Map<Request, number>();
  readonly #url: string;

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.context = context;
    this.page = page;
    this.#url = url;
  }

  static async open(context: BrowserContext, url: string): Promise<Visitor> {
    context.setDefaultTimeout(patient(60_000));
    const visitor = new Visitor(context, await context.newPage(), url);
    visitor.#watch();
    return visitor;
  }

  async tab(path: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${this.#url}${path}`);
    return page;
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`);
  }

  /** Values in the browser's storage that outlive a page. */
  async stored(): Promise<string> {
    const kept = await Promise.all(
      this.context.pages().map((page) => page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')),
    );
    return kept.join('\n');
  }

  /** The text of a page, where its focus is, and what it waits for. */
  async shown(page: Page): Promise<string> {
    const waiting = [...this.underWay].map(
      ([request, since]) => `  ${request.method()} ${request.url()}, for ${Date.now() - since} ms`,
    );
    const focus = await inTime(page.evaluate('document.activeElement?.outerHTML.slice(0, 300)'));
    const snapshot = await inTime(page.locator('body').ariaSnapshot({ timeout: shownMillis }));
    return [page.url(), `Focus: ${focus}`, 'Not answered yet:', ...waiting, String(snapshot)].join('\n');
  }

  #watch(): void {
    const { context, complaints } = this;
    context.on('console', (message) => {
      // Failed answers are told below, with more about them.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      complaints.push(`${message.page()?.url()}: ${message.text()}`);
    });
    context.on('weberror', (error) => complaints.push(`${error.page()?.url()}: ${error.error().stack}`));
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== this.#url) complaints.push(`asked another host: ${request.url()}`);
      this.addresses.add(request.url());
      this.underWay.set(request, Date.now());
    });
    context.on('requestfinished', (request) => this.underWay.delete(request));
    context.on('requestfailed', (request) => {
      this.underWay.delete(request);
      const failure = request.failure()?.errorText ?? '';
      // An aborted request is deliberate: its page was left or its stream closed. A network device that appears, such as
      // one of a Docker engine, ends every request of a browser; the console repeats its own.
      if (failure === 'net::ERR_ABORTED' || failure === 'net::ERR_NETWORK_CHANGED') return;
      complaints.push(`${request.method()} ${request.url()}: ${failure}`);
    });
    context.on('response', (answer) => {
      if (answer.status() >= 400) complaints.push(`${answer.request().method()} ${answer.url()}: ${answer.status()}`);
    });
    const follow = (page: Page) => page.on('framenavigated', (frame) => this.addresses.add(frame.url()));
    context.pages().forEach(follow);
    context.on('page', follow);
  }
}

const shownMillis = 5_000;

/** A page that does not answer any more is told as such. */
async function inTime(asked: Promise<unknown>): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(resolve, shownMillis, 'The page does not answer.'));
  return Promise.race([asked.catch(String), late]);
}
