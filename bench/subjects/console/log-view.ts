import type { CDPSession, Page } from 'playwright-core';
import { Applications } from '../../../test/applications/applications.ts';
import { freePort } from '../../../test/ground/free-port.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { calibration, openConsole } from '../../engine/console-page.ts';

const count = 100_000;
const appending = 'console: longest frame, 100,000 lines of a log coming';
const scrolling = 'console: longest frame, scrolling through them';
const heap = 'console: memory of the page with them';

/** The reference is a loop of 5e7 steps: how fast this machine is just now. */
export const logView: Benchmark = {
  name: 'log-view',
  what: "the console's log view with 100,000 lines, against a loop of 5e7 steps in the same page",
  rows: [
    { name: appending, unit: 'ms', better: 'less', mostBeside: (loop) => 4 * loop },
    { name: scrolling, unit: 'ms', better: 'less', mostBeside: (loop) => 2 * loop },
    { name: heap, unit: 'MB', better: 'less', mostBeside: (before) => before + 150 },
  ],
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  const { opened } = await openConsole(opening, 'bench-log-view', cluster);
  const { page, context } = await opened.firstOwner('Ada', 'ada@example.com');
  const applications = await Applications.on(opened.installation);
  opening.defer(() => applications.close());
  await applications.apply({ name: 'chatter', command: ['-silent'] });
  const [instance] = (await applications.applied('chatter')).instances;
  const address = `${opened.url}/default/clusters/${applications.clusterId}/instances/${instance?.id}`;
  // The lines come from here: what is measured is the page.
  const body = frames();
  await page.route('**/logs/stream?**', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  const session = await context.newCDPSession(page);
  const closing = opening.move();
  return {
    async reference() {
      const loop = await calibration(opened, page);
      return { [appending]: loop, [scrolling]: loop, [heap]: await memory(session) };
    },
    subject: () => measured(page, session, address),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Notes the longest time between two frames. */
const watch = `(() => {
  let last = performance.now();
  globalThis.longest = 0;
  const look = () => {
    const now = performance.now();
    globalThis.longest = Math.max(globalThis.longest, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

/** From the end to the beginning in 120 frames. */
const scroll = `new Promise((resolve) => {
  globalThis.longest = 0;
  const log = document.querySelector('[role=log]');
  const step = log.scrollHeight / 120;
  let left = 120;
  const next = () => {
    log.scrollTop -= step;
    left -= 1;
    if (left === 0) resolve(globalThis.longest);
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

async function measured(page: Page, session: CDPSession, address: string): Promise<Figures> {
  await page.addInitScript(watch);
  await page.goto(address);
  await page.getByText(/^100,000 lines/).waitFor();
  const came = await page.evaluate<number>('globalThis.longest');
  const scrolled = await page.evaluate<number>(scroll);
  return { [appending]: came, [scrolling]: scrolled, [heap]: await memory(session) };
}

async function memory(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}

function frames(): string {
  const lines = Array.from({ length: count }, (_, number) => {
    const at = new Date(Date.UTC(2026, 2, 1) + number * 10).toISOString();
    const text = `GET /orders/${number} 200 in ${number % 90} ms for ${'a customer '.repeat(number % 12)}`;
    const data = JSON.stringify({
      stream: number % 50 === 0 ? 'stderr' : 'stdout',
      position: number * 10,
      text,
      at,
      run: 1,
    });
    return `event: log\nid: ${number * 10 + 10}.${number * 10 + 10}\ndata: ${data}\n\n`;
  });
  return `: open\n\n${lines.join('')}event: end\ndata: {"message":""}\n\n`;
}
