import { expect, test } from 'vitest';
import type { Stories } from './world.ts';

export const addressStories: Stories = (world) => {
  test('an address of an earlier version leads to the page that it named', async () => {
    const { ada, opened } = world();
    await ada.go('/o/default/teams?make=true');
    await ada.page.getByRole('dialog', { name: 'Create a team' }).waitFor();
    expect(ada.page.url()).toBe(`${opened.url}/default/teams?make=true`);
  });
};
