import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { apart } from '../run/apart.ts';
import { notRun } from '../run/not-run.ts';

const whole = ['chromium', 'chromium-browser', 'google-chrome'];
/** The same engine without what draws windows. */
const bare = ['chromium-headless-shell', 'chrome-headless-shell'];

/**
 * The browser that people have, in its bare form where that is installed, which takes a third less of the processor.
 * Answers nothing, and says what to install, on a machine without any.
 */
export function realBrowser(): Promise<Browser | undefined> {
  return begin([...bare, ...whole]);
}

/** One that can show notifications, and whose pictures and times are those of people. */
export function wholeBrowser(): Promise<Browser | undefined> {
  return begin(whole);
}

async function begin(names: readonly string[]): Promise<Browser | undefined> {
  const executablePath = names.map(onPath).find((path) => path !== undefined);
  if (executablePath === undefined) {
    notRun('browser', 'install chromium', 'chromium', 'chromium-headless-shell');
    return undefined;
  }
  const end = await apart('browser');
  // Without its own sandbox, since tests may run as root; it visits nothing but this machine.
  // Ctrl-C is for whoever runs it, who may have more to end than the browser.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], handleSIGINT: false });
  browser.once('disconnected', end);
  return browser;
}

function onPath(name: string): string | undefined {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
