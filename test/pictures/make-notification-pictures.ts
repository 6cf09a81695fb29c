import { readFileSync, writeFileSync } from 'node:fs';
import { withPictures } from './notification-pictures.ts';

const page = new URL('../../docs/notifications.md', import.meta.url);
writeFileSync(page, withPictures(readFileSync(page, 'utf8')));
