import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as messages from '../../domain/notifications/messages.ts';
import { samples, withPictures } from './notification-pictures.ts';

const page = await readFile(new URL('../../docs/notifications.md', import.meta.url), 'utf8');

test('the pictures of docs/notifications.md show the messages of today', () => {
  expect(page, 'run `./ballast exec test/pictures/make-notification-pictures.ts`').toBe(withPictures(page));
});

test('every message has its picture', () => {
  expect(new Set(samples.map(([event]) => event))).toEqual(new Set(Object.keys(messages)));
});
