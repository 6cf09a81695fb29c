import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../../test/ground/free-port.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { openConsole } from '../../engine/console-page.ts';
import { serveBarePage } from '../../reference/bare-page.ts';

const first = 'console: first content on a slow line';
const whole = 'console: Home on a slow line';

/** 400 ms to the first byte of each answer, and 50 kB a second for all of them together. */
const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** A page of React alone takes the same line: the rest is what the console adds. People wait for the figure, so it is judged. */
export const slowLine: Benchmark = {
  name: 'slow-line',
  what: "the console's first page over a slow line, against a page of React alone",
  rows: [
    { name: first, unit: 's', better: 'less', mostBeside: () => 4 },
    { name: whole, unit: 's', better: 'less', mostBeside: () => 6 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const bare = opening.use(await serveBarePage());
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  const { browser, opened } = await openConsole(opening, 'bench-slow-line', cluster);
  const owner = await opened.firstOwner('Ada', 'ada@example.com');
  await clusterOf(owner.page);
  const cookies = await owner.context.cookies();
  await owner.context.close();
  const closing = opening.move();
  return {
    reference: () => visit(browser, bare.url, []),
    subject: () => visit(browser, `${opened.url}/default`, cookies),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const clusterOf = (page: Page) => page.getByText('local', { exact: true }).first().waitFor();

/** In the page, since a question from outside takes its own time. A frame that says where one is counts, a placeholder does not. */
const watch = `(() => {
  const seen = (globalThis.seen = {});
  const look = () => {
    const text = document.body?.innerText ?? '';
    if (/\\b(default|local)\\b/i.test(text)) seen.first ??= performance.now();
    if (/\\blocal\\b/.test(text)) seen.whole ??= performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
})()`;

/** In a browser session of its own: nothing of it is in a cache. */
async function visit(
  browser: Browser,
  address: string,
  cookies: Parameters<BrowserContext['addCookies']>[0],
): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.addCookies(cookies);
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', line);
    await page.addInitScript(watch);
    await page.goto(address, { waitUntil: 'commit' });
    await clusterOf(page);
    const seen = await page.evaluate<{ first: number; whole: number }>('globalThis.seen');
    return { [first]: seen.first / 1000, [whole]: seen.whole / 1000 };
  } finally {
    await context.close();
  }
}
