import { expect, test } from 'vitest';
import { maskOf } from '../../../domain/variables/mask.ts';
import { chances } from '../../../test/deployments/matrix.ts';
import { BuildLog, cutMark, LineFolder } from '../build-log.ts';

const plain = maskOf([]);
const lines = (chunks: (string | Buffer)[], mask = plain) => {
  const folder = new LineFolder(mask);
  return [...chunks.flatMap((chunk) => folder.take(Buffer.from(chunk))), ...folder.end()];
};

test('a character that comes in two parts is one, and colours stay', () => {
  const bytes = Buffer.from('\u001b[32mzażółć 🎉\u001b[0m\nnext');
  for (let at = 0; at <= bytes.length; at += 1)
    expect(lines([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(['\u001b[32mzażółć 🎉\u001b[0m', 'next']);
});

test('of a line that was drawn several times the last state counts, however it is cut', () => {
  const text = 'one\r\n10%\r20%\r100%\r\nplain\rdrawn\nlast 1\rlast 2\r';
  for (let at = 0; at <= text.length; at += 1)
    expect(lines([text.slice(0, at), text.slice(at)])).toEqual(['one', '100%', 'drawn', 'last 2']);
});

test('a line over 16 kB is cut with a mark, and a secret at the cut is masked before', () => {
  expect(lines([`${'x'.repeat(100_000)}\nnext\n`])).toEqual([`${'x'.repeat(16_384)}${cutMark}`, 'next']);
  const secret = 'a-secret-of-some-length';
  const [line = ''] = lines([`${'x'.repeat(16_380)}${secret}\n`], maskOf([secret]));
  expect(line).not.toContain('a-se');
});

test('a secret is masked however its bytes come, and with colours within; other lines keep theirs', () => {
  const mask = maskOf(['s3cret-välue', 'line one\nline two']);
  const bytes = Buffer.from(
    '\u001b[1mplain\u001b[0m\nmy s3cret-välue!\ns3c\u001b[31mret-välue\n1%\rs3cret-välue\rx\nline one\nline two\n',
  );
  const whole = ['\u001b[1mplain\u001b[0m', 'my [secret]!', '[secret]', 'x', '[secret]', '[secret]'];
  for (let at = 0; at <= bytes.length; at += 1)
    expect(lines([bytes.subarray(0, at), bytes.subarray(at)], mask)).toEqual(whole);
  expect(
    lines(
      [...bytes].map((byte) => Buffer.of(byte)),
      mask,
    ),
  ).toEqual(whole);
});

const signs = [...'abcdefghij&=+/%"\\ <ß€🎉'];

test.each([1, 2, 3])(
  'however two streams are cut into chunks, no form of a secret is in what is told (seed %i)',
  (seed) => {
    const chance = chances(seed);
    const below = (most: number) => Math.floor(chance() * most);
    const word = (length: number) => Array.from({ length }, () => signs[below(signs.length)]).join('');
    const secrets = Array.from({ length: 20 }, () => `${word(6 + below(40))}ends`);
    const told: Buffer[] = [];
    const log = new BuildLog({ told: (piece) => told.push(piece), mask: maskOf(secrets) });
    const forms = secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret);
      const json = JSON.stringify(secret).slice(1, -1);
      return [secret, json, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex')];
    });
    const text = () =>
      Array.from({ length: 300 }, () => `${word(below(30))}${forms[below(forms.length)]}${word(below(9))}`);
    const streams = { stdout: Buffer.from(text().join('\n')), stderr: Buffer.from(text().join('\r\n')) };
    const at = { stdout: 0, stderr: 0 };
    while (at.stdout < streams.stdout.length || at.stderr < streams.stderr.length) {
      const stream = chance() < 0.5 ? 'stdout' : 'stderr';
      const end = at[stream] + 1 + below(200);
      log.write(stream, streams[stream].subarray(at[stream], end));
      at[stream] = Math.min(end, streams[stream].length);
    }
    const last = log.endStep();
    const all = Buffer.concat(told).toString();
    expect(all.split('\n')).toHaveLength(601);
    for (const form of forms) expect([all, ...last].filter((one) => one.includes(form))).toEqual([]);
  },
);

/** As `base64`, `fold` and PEM do it. Of the first line fewer than 16 signs may be chance, so those stay. */
test.each([1, 2, 3])(
  'a secret that is broken over lines leaves nothing of itself on the next ones (seed %i)',
  (seed) => {
    const chance = chances(seed);
    const below = (most: number) => Math.floor(chance() * most);
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
    const word = (length: number) => Array.from({ length }, () => letters[below(letters.length)]).join('');
    for (let round = 0; round < 150; round += 1) {
      const secret = word(36 + below(200));
      const encoded = below(2) === 0;
      const around = [word(below(100)), word(below(100))];
      const text = `${around[0]}${secret}${around[1]}`;
      const form = encoded ? Buffer.from(text).toString('base64') : text;
      // What the secret alone decides, wherever it lies in a group of three bytes.
      const first = encoded ? Math.ceil((around[0]?.length ?? 0) * (4 / 3)) : (around[0]?.length ?? 0);
      const end = encoded ? Math.floor(((around[0]?.length ?? 0) + secret.length) * (4 / 3)) : first + secret.length;
      const width = 48 + below(40);
      const indent = ' '.repeat(below(3));
      const wrapped = form.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
      const colours = below(2) === 0 ? ['\u001b[32m', '\u001b[0m'] : ['', ''];
      const shown = lines(
        [`${wrapped.map((line) => `${indent}${colours[0]}${line}${colours[1]}`).join('\n')}\nends`],
        maskOf([secret]),
      );
      expect(shown.at(-1)).toBe('ends');
      shown.slice(0, -1).forEach((line, index) => {
        const [from, until] = [Math.max(first, index * width), Math.min(end, (index + 1) * width)];
        // A first piece of fewer signs than 16, and then what follows it where that alone is too short to be known.
        const begun = (Math.floor(first / width) + 1) * width - first;
        // Three signs stand anywhere by chance.
        if (until < from + 4 || (begun < 16 && index * width <= first + 32)) return;
        expect(line, `${form} at ${width}: line ${index}`).not.toContain(form.slice(from, until));
        expect(line).not.toContain(form.slice(until - 4, until));
      });
    }
  },
);

test('pieces are whole lines of at most 64 kB, in order, none missing, and the last 20 lines of a step are known', () => {
  const pieces: Buffer[] = [];
  const log = new BuildLog({ told: (piece) => pieces.push(piece), mask: maskOf(['hidden-value']) });
  log.beginStep();
  const wanted = Array.from({ length: 10_000 }, (_, number) => `line ${number} ${'.'.repeat(number % 90)}`);
  const text = Buffer.from(wanted.join('\n'));
  for (let at = 0; at < text.length; at += 777) log.write('stdout', text.subarray(at, at + 777));
  log.write('stderr', Buffer.from('with hidden-value'));
  const last = log.endStep();
  const whole = Buffer.concat(pieces).toString();
  expect(whole).toBe(`${wanted.join('\n')}\nwith [secret]\n`);
  expect(pieces.every((piece) => piece.length <= 65_536 && piece.at(-1) === 10)).toBe(true);
  expect(last).toEqual([...wanted.slice(-19), 'with [secret]']);
});

test('lines are told when no more come for a moment, an unfinished one only when it ends', async () => {
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const log = new BuildLog({
    told: (piece) => {
      told.push(piece.toString());
      resolve();
    },
    mask: plain,
  });
  log.write('stdout', Buffer.from('whole\nunfin'));
  await promise;
  expect(told).toEqual(['whole\n']);
  log.write('stdout', Buffer.from('ished\n'));
  log.flush();
  expect(told).toEqual(['whole\n', 'unfinished\n']);
});
