import { afterAll, beforeAll, expect, test } from 'vitest';
import { through } from '../../agents/kept-machine.ts';
import { Applications } from '../../applications/applications.ts';
import { until } from '../../ground/until.ts';
import { row } from '../on-page.ts';
import type { Stories } from './world.ts';

export const logStories: Stories = (world) => {
  let applications: Applications;
  beforeAll(async () => {
    const { installation } = world().opened;
    applications = await Applications.on(installation);
    await applications.apply({ name: 'crasher', kind: 'worker', command: ['-once', '-code', '3'] });
    await applications.apply({ name: 'chatter', command: ['-silent'] });
    await applications.applied('chatter');
  });
  afterAll(() => applications?.close());

  const instanceOf = (name: string) =>
    until(`an instance of ${name}`, async () => (await applications.instances(name))[0]?.id);
  const say = async (text: string, count: number) => {
    const host = (await applications.applied('chatter')).hosts[0]?.host ?? '';
    const ingress = `http://127.0.0.1:${world().opened.installation.env.INGRESS_PORT}`;
    await through(ingress, host, `/log?count=${count}&text=${encodeURIComponent(text)}`);
  };

  test('a crash loop reads as runs with exit codes and times; the failure and a line have an address', async () => {
    const { ada } = world();
    const { page } = ada;
    const id = await instanceOf('crasher');
    await ada.go(`/default/clusters/${applications.clusterId}/instances/${id}`);
    const log = page.getByRole('log', { name: `Log of ${id}` });
    await log.getByText(/^Run 2 · exited with code 3 after /).waitFor();
    const rows = await log.locator('[data-index]').allInnerTexts();
    expect(rows.slice(0, 4).map((text) => text.replaceAll('\n', ' '))).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} +out.* once /),
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} +Run 1 · exited with code 3 after [\d.]+ m?s$/),
      expect.stringMatching(/ out.* once /),
      expect.stringMatching(/ Run 2 · exited with code 3/),
    ]);

    await page.getByRole('button', { name: 'Jump to the failure' }).click();
    await log.locator('[aria-current]', { hasText: 'exited with code 3' }).waitFor();
    // A press on its time makes a line's address, for whoever gets it.
    const first = log.locator('[data-line]').first();
    const line = await first.getAttribute('data-line');
    await first.getByRole('link').click();
    await page.waitForURL(/line=/);
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    const tab = await ada.tab(new URL(page.url()).pathname + new URL(page.url()).search);
    await tab.locator(`[data-line="${line}"][aria-current="true"]`).waitFor();
    await tab.close();
  });

  test('one click leads from a workload to the logs of all its instances, by time, and on to one of them', async () => {
    const { ada } = world();
    const { page } = ada;
    await applications.apply({ name: 'pair', replicas: 2 });
    const [one, two] = (await applications.applied('pair')).instances.map(({ id }) => id);
    // Three ends are a crash loop; before that its log is one like any other.
    await until('the crash loop is known', async () => {
      const { body } = await world().opened.installation.call('GET', `${applications.path}/workloads`, {
        as: applications.admin,
      });
      return (body.items as { name: string; error: string }[]).some(
        ({ name, error }) => name === 'crasher' && error !== '',
      );
    });
    await ada.go(`/default/clusters/${applications.clusterId}`);
    const inRow = (name: string) => row(page, 'Workloads', name).getByRole('link', { name: 'Log' });
    await inRow('crasher').click();
    await page.getByRole('log').locator('[aria-current]', { hasText: 'exited with code 3' }).waitFor();
    await page.goBack();
    await inRow('pair').click();
    const log = page.getByRole('log', { name: 'Log of pair' });
    const lines = log.locator('[data-line]', { hasText: 'listening' });
    await lines.nth(1).waitFor();
    expect(
      (await lines.allInnerTexts()).map((text) => [one, two].find((id) => text.includes(id ?? '?'))).sort(),
    ).toEqual([one, two].sort());
    await page.getByLabel('Instances').selectOption(one ?? '');
    await lines.filter({ hasText: two ?? '' }).waitFor({ state: 'detached' });
    expect(await lines.count()).toBe(1);
    expect(page.url()).toContain(`of=${one}`);
  });

  test('a search goes further back than what is shown, scrolling up pauses, and 100,000 lines are rendered in part', async () => {
    const { ada } = world();
    const { page } = ada;
    const id = await instanceOf('chatter');
    await say('needle', 1);
    await say('hay', 3_000);
    await ada.go(`/default/clusters/${applications.clusterId}/instances/${id}`);
    const log = page.getByRole('log');
    const lines = log.locator('[data-line]');
    await lines.filter({ hasText: 'hay' }).first().waitFor();
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill('needle');
    await page.getByText('No match').waitFor();
    await page.getByRole('button', { name: 'Search further back' }).click();
    await log.locator('[aria-current] mark', { hasText: 'needle' }).waitFor();

    // The log was scrolled to the match: new lines do not move it.
    const top = () => page.evaluate<number>(`document.querySelector('[role=log]').scrollTop`);
    const shown = await top();
    await say('news', 5);
    await page.getByRole('button', { name: '5 new lines' }).waitFor();
    expect(await top()).toBe(shown);
    await page.getByRole('button', { name: '5 new lines' }).click();
    await lines.filter({ hasText: 'news' }).first().waitFor();

    await say('flood', 100_000);
    await say('the end', 1);
    await lines.filter({ hasText: 'the end' }).waitFor();
    await page.getByText(/^103,0\d\d lines/).waitFor();
    expect(await lines.count()).toBeLessThan(250);
    await page.evaluate(`{ const log = document.querySelector('[role=log]'); log.scrollTop = log.scrollHeight / 2 }`);
    await page.getByRole('button', { name: 'Jump to the newest' }).waitFor();
    const middle = lines.filter({ hasText: 'flood' });
    await middle.first().waitFor();
    const index = Number(await middle.nth(40).getAttribute('data-index'));
    expect(index).toBeGreaterThan(45_000);
    expect(index).toBeLessThan(60_000);
    expect(await lines.count()).toBeLessThan(250);
  });

  test('missing lines are told in place, and a hostile log is text', async () => {
    const { ada } = world();
    const { page } = ada;
    const id = await instanceOf('chatter');
    const at = '2026-03-01T12:00:00.000Z';
    const frame = (event: string, id: string, data: object) =>
      `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
    const hostile = '\u001b[31mred\u001b[0m <img src=x onerror=alert(1)> \u202egnp \u0007';
    const body = [
      ': open\n\n',
      frame('log', '10.0', { stream: 'stdout', position: 0, text: hostile, at }),
      frame('missing', '5010.0', { stream: 'stdout', from: 10, to: 5_010 }),
      frame('log', '5020.0', { stream: 'stderr', position: 0, text: 'x'.repeat(60_000), at }),
      frame('end', '5020.0', { message: '' }),
    ].join('');
    const streams = '**/logs/stream?**';
    await page.route(streams, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await ada.go(`/default/clusters/${applications.clusterId}/instances/${id}`);
    const log = page.getByRole('log');
    await log.getByText(/Lines of stdout are missing here \(positions 10 to 5,010\)/).waitFor();
    await log.getByText('red <img src=x onerror=alert(1)> �gnp ␇').waitFor();
    expect(await log.locator('img').count()).toBe(0);
    await log.getByRole('button', { name: 'Show all 60,000 characters' }).click();
    await log.getByRole('button', { name: 'Show all 60,000 characters' }).waitFor({ state: 'detached' });
    await page.unroute(streams);
  });
};
