import { expect, test } from 'vitest';
import { browserWords } from './browser-words.ts';

const like = 'Mozilla/5.0';
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`${like} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox 140 on Linux'],
  [
    `${like} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`,
    'Edge 138 on Windows',
  ],
  [
    `${like} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
    'Safari 18 on macOS',
  ],
  [
    `${like} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`,
    'Safari 18 on iPhone',
  ],
  [`${like} (Linux; Android 15) ${webkit} Chrome/138.0.0.0 Mobile Safari/537.36`, 'Chrome 138 on Android'],
  ['curl/8.5.0', 'curl 8'],
  ['something else', 'something else'],
  ['', 'Unknown browser'],
  [undefined, 'Unknown browser'],
])('%s', (userAgent, words) => {
  expect(browserWords(userAgent)).toBe(words);
});
