import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withPictures } from './notification-pictures.ts';

const checkout = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/notifications.md', checkout), 'utf8');

test('the pictures of docs/notifications.md show the messages of today', () => {
  expect(page, 'run `./ballast exec test/pictures/make-notification-pictures.ts`').toBe(withPictures(page));
});

test('every message has its picture', async () => {
  const files = await readdir(new URL('domain/notifications/messages/', checkout));
  for (const file of files.filter((name) => !name.includes('.test.'))) expect(page).toContain(`\`${file}\``);
});
