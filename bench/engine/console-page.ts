import type { Browser, Page } from 'playwright-core';
import { wholeBrowser } from '../../test/browsers/real-browser.ts';
import { Console } from '../../test/console/console.ts';

/** An installation with its console, and a browser; both end with `opening`. */
export async function openConsole(
  opening: AsyncDisposableStack,
  name: string,
  env: Record<string, string> = {},
): Promise<{ browser: Browser; opened: Console }> {
  const browser = await wholeBrowser();
  if (browser === undefined) throw new Error('This benchmark needs a browser: install chromium.');
  opening.defer(() => browser.close());
  const opened = await Console.start(browser, name, env);
  opening.defer(() => opened.close());
  return { browser, opened };
}

/** Milliseconds of 5e7 steps in a page that rests: how fast this machine is just now. */
export async function calibration({ url }: Console, page: Page): Promise<number> {
  await page.goto(`${url}/default/teams`);
  await page.getByRole('heading', { name: 'Teams' }).waitFor();
  return await page.evaluate<number>(loop);
}

const loop =
  '(() => { const begun = performance.now(); let sum = 0; for (let step = 0; step < 5e7; step += 1) sum += step % 7; return performance.now() - begun + sum * 0; })()';
