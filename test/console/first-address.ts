import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { type Pushed, pushSample } from './delivery.ts';
import type { World } from './stories/world.ts';

/** Counts what a person does on a page: each press of the mouse, and each field that is typed into. */
export function hand(page: Page) {
  const done = { clicks: 0, fields: 0 };
  return {
    done,
    click: async (role: 'button' | 'link' | 'radio', name: string) => {
      done.clicks += 1;
      await page.getByRole(role, { name, exact: true }).first().click();
    },
    fill: async (label: string, text: string) => {
      done.fields += 1;
      await page.getByLabel(label, { exact: true }).fill(text);
    },
  };
}

/** The project "Bakery" is made and followed to its address on one page; which driver runs it must make no difference. */
export async function fromProjectToAddress(
  { opened, ada }: Pick<World, 'opened' | 'ada'>,
  image: Pushed = {},
): Promise<void> {
  const { page } = ada;
  await ada.go('/default/p');
  const { click, fill, done } = hand(page);
  await click('link', 'New project');
  await fill('Name', 'Bakery');
  await page.getByText('default/bakery').waitFor();
  await click('radio', 'An image that you push here');
  await click('button', 'Create project');
  await page.getByText('/default/bakery/web:latest').waitFor();
  await pushSample(opened, 'default/bakery/web', image);
  await click('button', 'It is pushed: deploy');
  const address = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href');
  expect((await page.getByRole('list', { name: 'Stages' }).innerText()).split('\n')).toContain('Drain');
  const { hostname, port } = new URL(String(address));
  // Browsers resolve names beneath localhost by themselves.
  const answer = await through(`http://127.0.0.1:${port}`, hostname);
  expect(answer.status).toBe(200);
  done.clicks += 1;
  expect(done.clicks).toBeLessThanOrEqual(10);
  expect(done.fields).toBeLessThanOrEqual(2);
}
