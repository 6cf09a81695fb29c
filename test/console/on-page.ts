import type { Locator, Page, Request, Route } from 'playwright-core';

/** The heading of a page. */
export function heading(page: Page, name: string | RegExp): Locator {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

/** Of a table, or of a list. */
export function row(page: Page, name: string, text: string): Locator {
  const rows = page.getByRole('table', { name }).getByRole('row');
  return rows.or(page.getByRole('list', { name }).getByRole('listitem')).filter({ hasText: text });
}

/** Waits until a text is announced to screen readers politely. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('output[aria-live="polite"]').getByText(text).first().waitFor({ state: 'attached' });
}

/** Fails if the page was loaded anew since `marked`. */
export async function mark(page: Page): Promise<() => Promise<void>> {
  await page.evaluate('globalThis.marked = true');
  return async () => {
    if ((await page.evaluate('globalThis.marked')) !== true) throw new Error('The page was loaded again.');
  };
}

/** The text that a button of the console puts into the clipboard. */
export async function copied(page: Page, button: string): Promise<string> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('button', { name: button }).getByText('Copied').waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

type Handler = (route: Route, request: Request) => unknown;

/**
 * Routes requests of a page that is shown. Its renderer is told of the routing a moment after the browser, and what it asks for
 * until then is neither routed nor seen: so a request of ours is seen to be routed before anything is pressed.
 */
export async function routed(page: Page, address: string, handler: Handler): Promise<void> {
  await page.route(address, handler);
  const own = '**/api/v1/version';
  await page.route(own, (route) => route.fulfill({ status: 204 }));
  const ask = `fetch('/api/v1/version', { cache: 'no-store' }).then(({ status }) => status)`;
  while ((await page.evaluate(ask)) !== 204);
  await page.unroute(own);
}

export interface Held {
  requests: Request[];
  /** Lets them go, without these headers. */
  letGo(without?: readonly string[]): Promise<void>;
}

/** Has requests of an operation wait, as on a slow line. */
export async function hold(page: Page, operation: string): Promise<Held> {
  const address = `**/trpc/${operation}*`;
  const requests: Request[] = [];
  const gate = Promise.withResolvers<readonly string[]>();
  await routed(page, address, async (route, request) => {
    requests.push(request);
    const without = await gate.promise;
    const headers = await request.allHeaders();
    for (const name of without) delete headers[name];
    await route.continue({ headers });
  });
  return {
    requests,
    letGo: async (without = []) => {
      if (requests.length === 0) await page.waitForRequest(address);
      gate.resolve(without);
      // One that the page gave up has no answer.
      await Promise.all(requests.map((request) => request.response()));
      await page.unroute(address);
    },
  };
}
