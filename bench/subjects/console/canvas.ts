import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { seedFullEnvironment } from '../../../test/seeds/seed-full-environment.ts';
import type { Benchmark, Figures, Opened } from '../../engine/benchmark.ts';
import { openConsole } from '../../engine/console-page.ts';
import { bareCanvas } from '../../reference/bare-canvas.ts';

const count = 200;
const frame = `console: a frame while a canvas of ${count} services is panned`;
const drawn = 'console: boxes of them that are drawn at once';

/** At 50 frames a second a frame takes 20 ms; the browser makes 60. */
export const canvas: Benchmark = {
  name: 'canvas',
  what: `the canvas of ${count} services, panned by the mouse in a real browser, against ${count} plain nodes of the same library`,
  rows: [
    { name: frame, unit: 'ms', better: 'less', most: 20 },
    { name: drawn, unit: 'nodes', better: 'less', mostBeside: () => count - 1 },
  ],
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const { opened } = await openConsole(opening, 'bench-canvas');
  const { page } = await opened.firstOwner('Ada', 'ada@example.com');
  const database = await opened.installation.database();
  const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
  const place = await seedFullEnvironment(database, id, { services: count, past: 2 });
  // Each of the first half needs two others.
  await sql`
    update environment_service place set settings = jsonb_set(settings, '{dependsOn}', jsonb_build_array(
      concat('service-', substr(service.slug, 9)::int + 50), concat('service-', substr(service.slug, 9)::int + 90)))
    from service where service.id = place.service_id and place.environment_id = ${place.environmentId}
      and substr(service.slug, 9)::int <= 100`.execute(database.kysely);
  const project = database.kysely.selectFrom('project').select('slug').where('id', '=', place.projectId);
  const { slug } = await project.executeTakeFirstOrThrow();
  const bare = await bareCanvas();
  const beside = await page.context().newPage();
  const closing = opening.move();
  return {
    async reference() {
      await beside.bringToFront();
      await beside.setContent(bare);
      return await panned(beside);
    },
    async subject() {
      await page.bringToFront();
      await page.goto(`${opened.url}/default/p/${slug}/e/staging?view=canvas`);
      return await panned(page);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Counts frames from one call to the next. */
const watch = `(() => {
  let frames = 0;
  let since = performance.now();
  const look = () => { frames += 1; requestAnimationFrame(look); };
  requestAnimationFrame(look);
  globalThis.perFrame = () => {
    const took = (performance.now() - since) / Math.max(frames, 1);
    frames = 0;
    since = performance.now();
    return took;
  };
})()`;

/** To and fro over the whole canvas, by the mouse, as a person does. */
async function panned(page: Page): Promise<Figures> {
  await page.locator('.react-flow__node').first().waitFor();
  const { x, y, width, height } = (await page.locator('.react-flow').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
  await page.evaluate(watch);
  // At the edge, where there is no box.
  const begun = { x: x + width - 3, y: y + height - 3 };
  await page.mouse.move(begun.x, begun.y);
  await page.mouse.down();
  await page.evaluate('perFrame()');
  let most = 0;
  for (let step = 1; step <= 240; step += 1) {
    const angle = (step / 240) * Math.PI * 6;
    await page.mouse.move(begun.x - (1 - Math.cos(angle)) * 400, begun.y - Math.abs(Math.sin(angle)) * 300);
    if (step % 40 === 20) most = Math.max(most, await page.locator('.react-flow__node').count());
  }
  const took = await page.evaluate<number>('perFrame()');
  await page.mouse.up();
  return { [frame]: took, [drawn]: most };
}
