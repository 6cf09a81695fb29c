import type { Tone } from '../style.ts';

const escapeCode = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const codes = new RegExp(
  `${escapeCode}(?:\\[([0-?]*)[ -/]*([@-~])|\\][^${bell}${escapeCode}]*(?:${bell}|${escapeCode}\\\\)?|[@-Z\\\\-_])`,
  'g',
);
/** C0 and C1, marks that turn the direction of text, and invisible ones: shown as what they are, so that they do nothing. */
const controls = new RegExp(
  `[${String.fromCharCode(0)}-${String.fromCharCode(8)}${String.fromCharCode(10)}-${String.fromCharCode(31)}${String.fromCharCode(127)}-${String.fromCharCode(159)}\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]`,
  'g',
);

/** A line as it is shown, copied and searched: text only. */
export function plainText(raw: string): string {
  const ended = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const text = ended.includes(escapeCode) ? ended.replace(codes, '') : ended;
  return text.replace(controls, visible).replaceAll('\t', '    ');
}

function visible(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 32) return String.fromCharCode(0x2400 + code);
  return code === 127 ? '\u2421' : '\ufffd';
}

export interface Span {
  text: string;
  tone?: Tone | 'faint';
  bold?: true;
}

/** A terminal's colours as far as they mean something here. */
const tones: Record<number, Span['tone']> = {
  ...{ 31: 'fault', 32: 'good', 33: 'attention', 34: 'live', 35: 'live', 36: 'live', 90: 'faint' },
  ...{ 91: 'fault', 92: 'good', 93: 'attention', 94: 'live', 95: 'live', 96: 'live' },
};

/** The parts of a line with their colours; joined, their texts are `plainText`. */
export function spansOf(raw: string): Span[] {
  const spans: Span[] = [];
  let style: Omit<Span, 'text'> = {};
  let from = 0;
  const take = (to: number) => {
    const text = plainText(raw.slice(from, to));
    if (text !== '') spans.push({ text, ...style });
  };
  for (const found of raw.matchAll(codes)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[2] === 'm') style = styled(style, (found[1] ?? '').split(/[;:]/).map(Number));
  }
  take(raw.length);
  return spans;
}

function styled(style: Omit<Span, 'text'>, numbers: number[]): Omit<Span, 'text'> {
  let { tone, bold } = style;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? 0;
    if (number === 0) [tone, bold] = [undefined, undefined];
    else if (number === 1) bold = true;
    else if (number === 2) tone = 'faint';
    else if (number === 22) bold = undefined;
    else if (number === 39) tone = undefined;
    // Colours by number or by their parts have no meaning here.
    else if (number === 38 || number === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else if (tones[number] !== undefined) tone = tones[number];
  }
  return { ...(tone === undefined ? {} : { tone }), ...(bold === undefined ? {} : { bold }) };
}
