import type { Page } from 'playwright-core';

/** Names and ids in the filled installation that pages show. */
export interface Content {
  cluster: string;
  lostCluster: string;
  instance: string;
  /** The update of the agent that came back. */
  workflow: string;
  /** The token of an invitation that nobody has accepted yet. */
  invitation: string;
  /** The first deployment of the shop, one that failed, and what waits for its approval in production. */
  deployment: string;
  failedDeployment: string;
  approval: string;
  /** A build that was deployed, and one that failed. */
  build: string;
  failedBuild: string;
  /** The chat that gets everything. */
  channel: string;
}

/** A page of the console as it can be looked at. */
export interface ConsolePage {
  name: string;
  address: (content: Content) => string;
  heading: string | RegExp;
  /** Text that must be visible, beyond the heading, before the page is examined. */
  shows?: string;
  /** Steps that bring the page into the state worth examining, if its address alone does not. */
  act?: (page: Page) => Promise<void>;
  /** Nobody is signed in there. */
  anonymous?: true;
}

/** Goes there and waits until everything is shown. */
export async function show(page: Page, url: string, { address, heading, shows, act }: ConsolePage, content: Content) {
  await page.goto(`${url}${address(content)}`);
  // By its element: behind a dialog a heading is none for screen readers.
  await page.locator('main h1').filter({ hasText: heading }).waitFor();
  if (shows !== undefined) await page.getByText(shows).first().waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await act?.(page);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

/** Gives the page another look, which is there at once. */
export async function look(page: Page, colorScheme: 'light' | 'dark', viewport: { width: number; height: number }) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  await settle(page);
}

/** Ends what fades or moves until nothing does: half way there, a text has too little contrast. A transition begins a frame after its cause. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    const going = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
    do {
      await frame();
      await frame();
    } while (going().map((one) => one.finish()).length > 0);
  })()`);
}
