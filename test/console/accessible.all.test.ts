import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realBrowser } from '../browsers/real-browser.ts';
import { type Outside, outside } from '../git/shown-repositories.ts';
import { freePort } from '../ground/free-port.ts';
import { Console } from './console.ts';
import { fill } from './content.ts';

import { opened as onTop, openings } from './openings.ts';
import { type Content, look, show } from './pages/console-page.ts';
import { crowded } from './pages/crowded.ts';
import { pages } from './pages/pages.ts';
import { violations } from './violations.ts';
import type { Visitor } from './visitor.ts';

const browser = await realBrowser();
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

const looks = (['light', 'dark'] as const).flatMap((theme) =>
  [desktop, phone].map((viewport) => ({ theme, viewport })),
);

let opened: Console;
let owner: Visitor;
let nobody: Visitor;
let content: Content;
let others: Outside;

beforeAll(async () => {
  if (browser === undefined) return;
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  others = await outside();
  opened = await Console.start(browser, 'console-accessible', { ...cluster, ...others.settings });
  // The policy of the console keeps every foreign script out, that of this test too.
  const options = { bypassCSP: true, reducedMotion: 'reduce' } as const;
  owner = await opened.firstOwner('Ada Lovelace', 'ada@example.com', options);
  nobody = await opened.visitor(options);
  content = await fill(opened, owner, others);
});
afterAll(async () => {
  await opened?.close();
  await others?.close();
  await browser?.close();
});

describe.skipIf(browser === undefined)('whoever needs another theme, a phone or a screen reader', () => {
  test.each(pages)('can use the page $name', async (one) => {
    const { page } = one.anonymous === true ? nobody : owner;
    await page.setViewportSize(desktop);
    await show(page, opened.url, one, content);
    const found = [...(await examined(page)), ...(await crowded(page))];
    // One load for all that opens on the page.
    for (const { name, open } of openings[one.name] ?? []) {
      await page.setViewportSize(desktop);
      await open(page);
      const there = [...(await examined(page, onTop)), ...(await crowded(page, onTop))];
      found.push(...there.map((text) => `${name}, ${text}`));
      await page.keyboard.press('Escape');
      await page.locator(onTop).first().waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);
    expect(opened.complaints()).toEqual([]);
  });
});

/** Findings in any of the looks, of the whole page or of the part that is open on it. */
async function examined(page: Page, part?: string): Promise<string[]> {
  const found: string[] = [];
  for (const { theme, viewport } of looks) {
    await look(page, theme, viewport);
    const where = `${theme}, ${viewport.width} px`;
    found.push(...(await violations(page, part)).map((text) => `${where}: ${text}`));
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    if (Number(wide) > viewport.width) found.push(`${where}: the page is ${wide} px wide`);
  }
  return found;
}
