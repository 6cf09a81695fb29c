import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { bundleCache } from '../ground/bundle-cache.ts';
import { Installation } from '../installation/installation.ts';
import { Visitor } from './visitor.ts';

export const password = 'correct horse battery staple';

/** An installation as users have it, and the people who look at its console, each with a browser session of their own. */
export class Console {
  readonly installation: Installation;
  /** As people type it. */
  readonly url: string;
  readonly visitors: Visitor[] = [];
  readonly #browser: Browser;
  readonly #name: string;

  private constructor(browser: Browser, installation: Installation, name: string) {
    this.#browser = browser;
    this.#name = name;
    this.installation = installation;
    this.url = `http://localhost:${installation.port}`;
  }

  static async start(browser: Browser, name: string, env: Record<string, string> = {}): Promise<Console> {
    return await Console.on(browser, name, await Installation.start(name, env));
  }

  static async on(browser: Browser, name: string, installation: Installation): Promise<Console> {
    const started = new Console(browser, installation, name);
    try {
      await started.built();
      return started;
    } catch (error) {
      await started.close();
      throw error;
    }
  }

  /** An API that was just started reads the console while it is ready already, and builds it if it is new. */
  async built(): Promise<void> {
    await this.installation.until(
      'the console is built',
      async () => (await fetch(`${this.url}/console/theme.js`)).ok,
      120,
    );
  }

  /** A session of a browser in which nobody is signed in yet. */
  async visitor(options: BrowserContextOptions = {}, browser = this.#browser): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const visitor = await Visitor.open(context, this.url);
    this.visitors.push(visitor);
    return visitor;
  }

  /** The link to the first account, as the start has printed it. */
  get firstLink(): string {
    return /Create the first account: (\S+)/.exec(this.installation.output)?.[1] ?? '';
  }

  async firstOwner(name: string, email: string, options?: BrowserContextOptions): Promise<Visitor> {
    const visitor = await this.visitor(options);
    const { page } = visitor;
    await page.goto(this.firstLink);
    await page.getByRole('button', { name: 'Continue' }).click();
    await makeAccount(visitor, name, email);
    return visitor;
  }

  /** A browser that has this session, without a sign-in. */
  async signedIn(session: string, options?: BrowserContextOptions, browser?: Browser): Promise<Visitor> {
    const visitor = await this.visitor(options, browser);
    this.installation.secrets.add(session);
    await visitor.context.addCookies([
      { name: 'svc_session', value: session, url: this.url, httpOnly: true, sameSite: 'Lax' },
    ]);
    return visitor;
  }

  /** Complaints of pages since the last call. */
  complaints(): string[] {
    return this.visitors.flatMap(({ complaints }) => complaints.splice(0));
  }

  /** Fails a story that has failed once more, with what its pages show, for whoever looks why; pictures lie beside the logs. */
  async tell(complaints: readonly string[]): Promise<never> {
    const directory = join(bundleCache, 'test-logs', `${this.#name}-pages`);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const told: string[] = [];
    for (const visitor of this.visitors) {
      for (const page of visitor.context.pages()) {
        const path = join(directory, `${told.length}.png`);
        await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined);
        told.push(await visitor.shown(page));
      }
    }
    throw new Error(['The story failed.', ...complaints, ...told].join('\n'));
  }

  async close(): Promise<void> {
    for (const { context } of this.visitors) await context.close();
    await this.installation.remove();
  }
}

/** The built-in provider's pages, from "Make an account" on until one is back. */
export async function makeAccount({ page }: Visitor, name: string, email?: string): Promise<void> {
  await beginAccount(page, name, email);
  await page.getByRole('button', { name: 'Not now' }).click();
}

/** The same up to "Protect your account", where the account is there and nobody is signed in yet. */
export async function beginAccount(page: Page, name: string, email?: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  if (email !== undefined) await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Protect your account' }).waitFor();
}

/** From the sign-in page on, with an account that is there already. */
export async function signInAgain({ page }: Visitor, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
