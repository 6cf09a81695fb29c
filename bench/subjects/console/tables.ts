import type { Page } from 'playwright-core';
import { seedMember } from '../../../test/seeds/seed.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { calibration, openConsole } from '../../engine/console-page.ts';

const count = 1_000;
const more = 'console: paint after the answer to "Show more", up to 1,000 members';
const search = 'console: paint after a key in the search, 1,000 members';

/** The reference is a loop of 5e7 steps: how fast this machine is just now. */
export const tables: Benchmark = {
  name: 'tables',
  what: "the console's list of 1,000 members, beside a loop of 5e7 steps in the same page",
  rows: [
    { name: more, unit: 'ms', better: 'less', mostBeside: () => 100 },
    { name: search, unit: 'ms', better: 'less', mostBeside: () => 100 },
  ],
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const { opened } = await openConsole(opening, 'bench-tables');
  const { page } = await opened.firstOwner('Ada', 'ada@example.com');
  const database = await opened.installation.database();
  const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
  // The first owner is one of them.
  for (let number = 1; number < count; number += 1) {
    await seedMember(database, id, 'viewer', `${number % 10 === 0 ? 'Quentin' : 'Person'} ${number}`);
  }
  const closing = opening.move();
  return {
    async reference() {
      const loop = await calibration(opened, page);
      return { [more]: loop, [search]: loop };
    },
    subject: () => measured(page, `${opened.url}/default/members`),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Resolves with the time at which the line above the list that says so is painted. */
const painted = `globalThis.painted = (says) => new Promise((resolve) => {
  const look = () => {
    const text = document.querySelector('search [role=status]')?.textContent ?? '';
    if (!text.startsWith(says)) return requestAnimationFrame(look);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    requestAnimationFrame(() => port2.postMessage(undefined));
  };
  look();
})`;

/** From the end of the answer, without scrolling: that would ask for more by itself. */
const showMore = (says: string) => `(async () => {
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Show more').click();
  const end = await painted('${says}');
  const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('members.list'));
  return end - asked.at(-1).responseEnd;
})()`;

/** The field waits 150 ms for the next key, which is no work. */
const oneKey = `(async () => {
  const field = document.querySelector('input[type=search]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'q');
  const begun = performance.now();
  field.dispatchEvent(new Event('input', { bubbles: true }));
  return (await painted('99 of ')) - begun - 150;
})()`;

async function measured(page: Page, address: string): Promise<Figures> {
  await page.goto(address);
  await page.getByText('200+ members').waitFor();
  await page.evaluate(painted);
  let last = 0;
  for (const says of ['400+', '600+', '800+', '1000 members']) last = await page.evaluate<number>(showMore(says));
  return { [more]: last, [search]: await page.evaluate<number>(oneKey) };
}
