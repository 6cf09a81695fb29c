import type { Browser, BrowserContext } from 'playwright-core';
import { freePort } from '../../../test/ground/free-port.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { openConsole } from '../../engine/console-page.ts';
import { serveBarePage } from '../../reference/bare-page.ts';

const script = 'console: script of the first page';
const interactive = 'console: first page, cold to interactive';

/** A ratio to React alone tells what the console adds, and is not judged: people wait for the figure. */
export const firstPage: Benchmark = {
  name: 'console',
  what: "the console's first page in a real browser, against a page of React alone",
  rows: [
    { name: script, unit: 'kB', better: 'less', mostBeside: () => 200 },
    { name: interactive, unit: 's', better: 'less', mostBeside: () => 1 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const bare = opening.use(await serveBarePage());
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  const { browser, opened } = await openConsole(opening, 'bench-console', cluster);
  const owner = await opened.firstOwner('Ada', 'ada@example.com');
  await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
  const cookies = await owner.context.cookies();
  await owner.context.close();
  const closing = opening.move();
  return {
    reference: () => visit(browser, bare.url, '/teams', []),
    subject: () => visit(browser, `${opened.url}/default`, '/default/teams', cookies),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/**
 * In the page, since a question from outside takes its own time: as soon as the heading and the cluster `local` are shown, a link is
 * clicked; the page is interactive when that has led on without another document.
 */
const watch = `(link) => {
  const look = () => {
    const loaded = document.querySelector('h1')?.textContent === 'Home' && /\\blocal\\b/.test(document.body.innerText);
    if (!loaded) return;
    if (location.pathname !== link) document.querySelector('a[href="' + link + '"]')?.click();
    if (location.pathname !== link) return;
    observer.disconnect();
    const files = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
    const bytes = files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    globalThis.seen(performance.now(), bytes);
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** In a browser session of its own: nothing of it is in a cache. */
async function visit(
  browser: Browser,
  address: string,
  link: string,
  cookies: Parameters<BrowserContext['addCookies']>[0],
): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.addCookies(cookies);
    const seen = Promise.withResolvers<Figures>();
    await context.exposeFunction('seen', (milliseconds: number, bytes: number) =>
      seen.resolve({ [script]: bytes / 1000, [interactive]: milliseconds / 1000 }),
    );
    await context.addInitScript(`(${watch})(${JSON.stringify(link)})`);
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'commit' });
    const figures = await seen.promise;
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    return figures;
  } finally {
    await context.close();
  }
}
