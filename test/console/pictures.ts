import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wholeBrowser } from '../browsers/real-browser.ts';
import { outside } from '../git/shown-repositories.ts';
import { freePort } from '../ground/free-port.ts';
import { Console } from './console.ts';
import { fill } from './content.ts';
import { look, show } from './pages/console-page.ts';
import { pages } from './pages/pages.ts';

const directory = join(import.meta.dirname, '..', '..', 'docs', 'pictures');
const desktop = { width: 1280, height: 800 };
const looks = [
  { name: 'light', colorScheme: 'light', viewport: desktop },
  { name: 'dark', colorScheme: 'dark', viewport: desktop },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

// The first Ctrl-C ends what was started; a second one does not wait for that.
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

/** The pages that the command names, or every page there is. */
const wanted = process.argv.slice(2);
const taken = wanted.length === 0 ? pages : pages.filter(({ name }) => wanted.includes(name));
for (const name of wanted) {
  if (!taken.some((one) => one.name === name))
    throw new Error(`No page is called "${name}": test/console/pages/pages.ts names them.`);
}

/** Takes each page as it is in the running product, light, dark and on a phone's width, into `docs/pictures/`. */
async function takePictures(): Promise<void> {
  await using opening = new AsyncDisposableStack();
  const browser = await wholeBrowser();
  if (browser === undefined) throw new Error('Pictures need a browser: install chromium.');
  opening.defer(() => browser.close());
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  const others = await outside();
  opening.defer(() => others.close());
  process.stderr.write('… an installation is started and filled\n');
  const opened = await Console.start(browser, 'console-pictures', { ...cluster, ...others.settings });
  opening.defer(() => opened.close());
  // As browsers that have a window call themselves.
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
  const options = { reducedMotion: 'reduce', userAgent } as const;
  const owner = await opened.firstOwner('Ada Lovelace', 'ada@example.com', options);
  const nobody = await opened.visitor(options);
  const content = await fill(opened, owner, others);
  stopping.signal.throwIfAborted();
  if (wanted.length === 0) rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const one of taken) {
    stopping.signal.throwIfAborted();
    process.stderr.write(`… ${one.name}\n`);
    const { page } = one.anonymous === true ? nobody : owner;
    await page.setViewportSize(desktop);
    await show(page, opened.url, one, content);
    for (const { name, colorScheme, viewport } of looks) {
      await look(page, colorScheme, viewport);
      await page.screenshot({ path: join(directory, `${one.name}-${name}.png`), animations: 'disabled' });
    }
  }
  const complaints = opened.complaints();
  if (complaints.length > 0) throw new Error(`Pages complained:\n${complaints.join('\n')}`);
}

try {
  await takePictures();
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  const megabytes = sizes.reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  process.stdout.write(`${sizes.length} pictures in docs/pictures, ${megabytes.toFixed(1)} MB\n`);
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  process.stderr.write('Stopped.\n');
  process.exitCode = 1;
}
