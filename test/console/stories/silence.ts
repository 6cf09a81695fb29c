import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { createTeam } from '../../../db/teams/teams.ts';
import { proxyTo, type TcpProxy } from '../../ground/proxy.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { machine } from '../../seeds/seed.ts';
import { mark, row } from '../on-page.ts';
import { Visitor } from '../visitor.ts';
import type { Stories } from './world.ts';

const notice = (page: Page) => page.getByRole('status', { name: 'Connection' });
const told = (page: Page, words: string) => notice(page).getByText(words).waitFor();
/** The end of a silence stays told for four seconds: one story of each kind of end sees it go. */
const quiet = (page: Page) => notice(page).getByText(/./).waitFor({ state: 'detached' });

/** The end of a silence of one kind and what was missed, on the load that was there before. */
export const silenceStories: Stories = (world) => {
  let line: TcpProxy;
  /** Ada's second browser, behind the proxy. */
  let far: Visitor;

  beforeAll(async () => {
    const { opened, ada } = world();
    line = await proxyTo(`127.0.0.1:${opened.installation.port}`);
    const context = await ada.context.browser()?.newContext({ storageState: await ada.context.storageState() });
    if (context === undefined) throw new Error('There is no browser.');
    far = await Visitor.open(context, `http://localhost:${line.address.split(':')[1]}`);
  });
  afterAll(async () => {
    await far?.context.close();
    await line?.close();
  });

  // A broken line is all that these pages may complain of.
  const broken = /net::ERR_|: 50[234]$/;
  beforeEach(() => {
    world().means(broken);
  });
  afterEach(() => {
    expect(far.complaints.splice(0).filter((one) => !broken.test(one))).toEqual([]);
  });

  async function makeMeanwhile(name: string): Promise<void> {
    const database = await world().opened.installation.database();
    const { id } = await database.kysely.selectFrom('organization').select('id').executeTakeFirstOrThrow();
    await effect(database, machine, (running) => createTeam(running, id, name));
  }

  async function newestChange(): Promise<string> {
    const database = await world().opened.installation.database();
    const { position } = await database.kysely
      .selectFrom('change_feed')
      .select(({ fn }) => fn.max('position').as('position'))
      .executeTakeFirstOrThrow();
    return position;
  }
  async function otherThingsChanged(since: string): Promise<boolean> {
    const database = await world().opened.installation.database();
    const other = await database.kysely
      .selectFrom('change_feed')
      .select('kind')
      .where('position', '>', since)
      .where('kind', '<>', 'team')
      .executeTakeFirst();
    return other !== undefined;
  }

  test('a load of the first page asks each thing once, and misses nothing that changes before its stream is open', async () => {
    const { page } = world().ada;
    const asked: string[] = [];
    const note = (request: Request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/trpc/')) asked.push(`${pathname}${search}`);
    };
    const stream = '**/api/v1/events/stream*';
    page.on('request', note);
    const gate = Promise.withResolvers<void>();
    await page.route(stream, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await world().ada.go('/default/teams');
    await page.getByRole('button', { name: 'Create a team' }).first().waitFor();
    await makeMeanwhile('Before the stream');
    gate.resolve();
    await row(page, 'Teams', 'Before the stream').waitFor();
    await page.unroute(stream);
    expect(asked.filter((one) => one.includes('auth.session'))).toHaveLength(1);
    // A load beside which something else changed, which the page asks for again with good reason, says nothing: one without is made.
    let hint = 0;
    let before: string;
    do {
      hint += 1;
      asked.splice(0);
      before = await newestChange();
      const opened = page.waitForResponse(stream);
      // Until it knows the kinds of actors, any hint may be one of theirs.
      const kinds = page.waitForResponse(/\/files\/descriptors-[^/]*\.js$/);
      await world().ada.go('/default');
      await page.getByText('All clear').waitFor();
      await (await opened).headerValue('content-type');
      await (await kinds).finished();
      // Told after all that the opening of the stream had to tell.
      await makeMeanwhile(`A hint ${hint}`);
      await page.getByRole('list', { name: 'Recent changes' }).getByText(`A hint ${hint}`).waitFor();
    } while (await otherThingsChanged(before));
    page.off('request', note);
    const change = row(page, 'Recent changes', `A hint ${hint}`).getByRole('link');
    expect(await change.getAttribute('href')).toMatch(/^\/default\/audit-log\?subject=team/);
    // The hint of a team touches members and the audit log.
    const again = asked.filter((one, at) => asked.indexOf(one) !== at);
    expect(again.filter((one) => !/trpc\/(?:auditLog|members)\./.test(one))).toEqual([]);
    expect(again).toEqual([...new Set(again)]);
    expect(asked.length).toBeGreaterThan(5);
  });

  test('a stopped API: the page says that it may be out of date, a press that it is still being sent, once', async () => {
    const { page } = world().ada;
    await world().ada.go('/default/teams');
    await row(page, 'Teams', 'Before the stream').waitFor();
    const sameLoad = await mark(page);
    const { parts } = world().opened.installation;
    const [supervisor, api] = [parts.supervisor() ?? 0, parts.pid('api') ?? 0];
    signalProcess(supervisor, 'SIGSTOP');
    signalProcess(api, 'SIGSTOP');
    try {
      await told(page, 'Reconnecting; this page may be out of date.');
      await page.getByRole('button', { name: 'Create a team' }).first().click();
      await page.getByLabel('Name').fill('Pressed once');
      await page.getByRole('button', { name: 'Create team' }).click();
      await told(page, 'Still sending your change; it takes effect once.');
    } finally {
      signalProcess(api, 'SIGCONT');
      signalProcess(supervisor, 'SIGCONT');
    }
    // That it is connected again is told for four seconds, in which the row need not come.
    await Promise.all([row(page, 'Teams', 'Pressed once').waitFor(), told(page, 'Connected again')]);
    expect(await row(page, 'Teams', 'Pressed once').count()).toBe(1);
    await sameLoad();
  });

  test('kill -9 of the API is told quietly, and the page shows what changed meanwhile', async () => {
    const { ada, opened } = world();
    const { page } = ada;
    await ada.go('/default/teams');
    await row(page, 'Teams', 'Before the stream').waitFor();
    const sameLoad = await mark(page);
    const { parts } = opened.installation;
    const supervisor = parts.supervisor() ?? 0;
    const pid = parts.pid('api');
    // The stopped supervisor holds back a new API until the notice was seen.
    signalProcess(supervisor, 'SIGSTOP');
    try {
      parts.kill('api');
      await told(page, 'Reconnecting; this page may be out of date.');
      await makeMeanwhile('Made meanwhile');
    } finally {
      signalProcess(supervisor, 'SIGCONT');
    }
    await opened.installation.replaced('api', pid);
    await opened.built();
    await row(page, 'Teams', 'Made meanwhile').waitFor();
    await quiet(page);
    await sameLoad();
  });

  test('a machine without a network: the page says so at once, and shows afterwards what changed meanwhile', async () => {
    const { page, context } = world().ada;
    await world().ada.go('/default/teams');
    await row(page, 'Teams', 'Before the stream').waitFor();
    const sameLoad = await mark(page);
    await context.setOffline(true);
    await told(page, 'You are offline.');
    await makeMeanwhile('Made while offline');
    await context.setOffline(false);
    await told(page, 'Connected again');
    await row(page, 'Teams', 'Made while offline').waitFor();
    await quiet(page);
    await sameLoad();
  });

  test('a line that takes requests and never answers: a page that was asked for waits in words, and comes by itself', async () => {
    const { page } = far;
    await far.go('/default/teams');
    await row(page, 'Teams', 'Before the stream').waitFor();
    const sameLoad = await mark(page);
    const file = page.waitForResponse(/\/files\/members-[^/]*\.js$/);
    await page.getByRole('link', { name: 'Members' }).hover();
    await page.evaluate(`import(${JSON.stringify((await file).url())})`);
    await line.freeze();
    await page.getByRole('link', { name: 'Members' }).click();
    await told(page, 'Still waiting for the control plane…');
    await makeMeanwhile('Made while it hung');
    await line.restore();
    await page.getByRole('table', { name: 'Members' }).waitFor();
    await told(page, 'Connected again');
    await page.getByRole('link', { name: 'Teams' }).click();
    await row(page, 'Teams', 'Made while it hung').waitFor();
    await sameLoad();
  });

  test('a proxy that holds the stream back: requests are answered, and the page says that it may be out of date', async () => {
    const { page } = world().ada;
    await page.route('**/api/v1/events/stream*', () => undefined);
    await world().ada.go('/default/teams');
    await row(page, 'Teams', 'Before the stream').waitFor();
    await told(page, 'Reconnecting; this page may be out of date.');
    await page.unroute('**/api/v1/events/stream*');
    await told(page, 'Connected again');
  });
};
