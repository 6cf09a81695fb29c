import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { apart } from '../run/apart.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** A browser as people have it. Answers nothing, and says what to install, on a machine without one. */
export async function realBrowser(): Promise<Browser | undefined> {
  const executablePath = names.map(onPath).find((path) => path !== undefined);
  if (executablePath === undefined) {
    process.stdout.write('NOT RUN: browser: install chromium\n');
    return undefined;
  }
  // Without its own sandbox, since tests may run as root; it visits nothing but this machine.
  // Ctrl-C is for whoever runs it, who may have more to end than the browser.
  const end = await apart('browser');
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
