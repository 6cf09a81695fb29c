import { describe, expect, test } from 'vitest';
import { chatText } from './chat-text.ts';
import type { ChannelMessage } from './message.ts';

const message: ChannelMessage = {
  title: 'Release #7 of web failed to deploy to production',
  body: 'The process web exited with code 1.\nSee its last lines, mend it and deploy again.',
  link: 'https://ballast.example/acme/p/shop/d/7',
  kind: 'failure',
};
const text = (more: Partial<ChannelMessage> = {}) => chatText({ ...message, ...more });
/** Without the line of the link. */
const above = (more: Partial<ChannelMessage> = {}) => text(more).slice(0, text(more).lastIndexOf('\n<'));
const length = (written: string) => [...written].length;

test('the title is bold, the body follows, and the last line leads to the console', () => {
  expect(text()).toBe(
    [
      '*Release #7 of web failed to deploy to production*',
      'The process web exited with code 1.',
      'See its last lines, mend it and deploy again.',
      '<https://ballast.example/acme/p/shop/d/7|Open in Ballast>',
    ].join('\n'),
  );
  expect(text({ body: '' })).toBe(`*${message.title}*\n<${message.link}|Open in Ballast>`);
});

describe('a name is plain text', () => {
  test.each([
    ['<!channel>', '&lt;!channel&gt;'],
    ['<http://evil.example|click here>', '&lt;http://evil.example|click here&gt;'],
    ['&lt;!here&gt;', '&amp;lt;!here&amp;gt;'],
    ['R&D', 'R&amp;D'],
    ['*shop* and * more', '∗shop∗ and ∗ more'],
    ['＊shop＊', '∗shop∗'],
    ['~old~ `code` ```', '∼old∼ ˋcodeˋ ˋˋˋ'],
    ['_it_ __init__ a_ _b', 'ˍitˍ ˍˍinitˍˍ aˍ ˍb'],
    ['my_order_api snake__case ünï_çode', 'my_order_api snake__case ünï_çode'],
    ['two\nlines\r\nand\u2028more\ttabs\u0000', 'two lines and more tabs'],
    ['  spaces  ', 'spaces'],
    ['ends with \\', 'ends with ∖'],
    ['C:\\shop\\*', 'C:\\shop\\∗'],
    ['@all and ada@example.com @ 5', '@\u200ball and ada@\u200bexample.com @ 5'],
    ['[click](http://evil.example) [a][b]', '[click]\u200b(http://evil.example) [a]\u200b[b]'],
  ])('%j as title', (title, written) => {
    expect(above({ title, body: '' })).toBe(`*${written}*`);
    // Nothing within the bold begins or ends formatting, a mention or a link.
    expect(above({ title, body: '' }).slice(1, -1)).not.toMatch(/[*`~<>\n]|@\w|\]\(/);
  });

  test('a body keeps its lines, and formats nothing', () => {
    const body = 'one\r\ntwo\u2029```\n*bold* <!here> @channel\n[click](http://evil.example)\n';
    expect(above({ body }).split('\n').slice(1)).toEqual([
      'one',
      'two',
      'ˋˋˋ',
      '∗bold∗ &lt;!here&gt; @\u200bchannel',
      '[click]\u200b(http://evil.example)',
    ]);
  });

  test('a body has no characters of control, and none that turns its direction', () => {
    expect(above({ body: 'a\u001b[31mred\u0007\u0000\tb\u202Ec\u2066d' }).split('\n')[1]).toBe('a[31mred\tbcd');
    expect(above({ title: 'a\u202Eb', body: '' })).toBe('*ab*');
  });

  test('a link ends where it ends', () => {
    const link = 'https://ballast.example/?a=1&b=|x>';
    expect(text({ link }).endsWith('\n<https://ballast.example/?a=1&amp;b=%7Cx%3E|Open in Ballast>')).toBe(true);
  });
});

describe('title and body together have at most 3,000 characters', () => {
  const room = 3000 - length(`*${message.title}*\n`);

  test('what fits is whole, and one more is cut with an ellipsis inside of the limit', () => {
    expect(above({ body: 'x'.repeat(room) })).toBe(`*${message.title}*\n${'x'.repeat(room)}`);
    expect(above({ body: 'x'.repeat(room + 1) })).toBe(`*${message.title}*\n${'x'.repeat(room - 1)}…`);
    expect(text({ body: 'x'.repeat(9000) }).endsWith(`x…\n<${message.link}|Open in Ballast>`)).toBe(true);
  });

  test('code points and entities are not cut apart', () => {
    for (const [one, written] of [
      ['🚢', '🚢'],
      ['&', '&amp;'],
    ] as const) {
      for (let before = 0; before < 6; before += 1) {
        const cut = above({ body: 'x'.repeat(before) + one.repeat(4000) });
        expect(length(cut)).toBeLessThanOrEqual(3000);
        expect(length(cut)).toBeGreaterThan(3000 - 6);
        const [, body = ''] = cut.split('\n');
        expect(body.slice(before).replaceAll(written, '')).toBe('…');
      }
    }
    expect(text({ body: '\ud800'.repeat(9) }).isWellFormed()).toBe(true);
  });

  test('a title that is too long is cut within its bold, and leaves out the body', () => {
    expect(above({ title: 't'.repeat(4000) })).toBe(`*${'t'.repeat(2997)}…*`);
    for (let more = 2985; more <= 3001; more += 1) {
      const cut = above({ title: 't'.repeat(more) });
      expect(length(cut)).toBeLessThanOrEqual(3000);
      expect(cut).toMatch(/^\*t+…?\*(\n.*…)?$/);
    }
  });
});
