/** A variable of an env file, and the line on which it begins. */
export interface EnvLine {
  key: string;
  value: string;
  line: number;
}

export interface EnvFault {
  line: number;
  message: string;
}

export interface EnvText {
  /** Each key once, in the order of the text. */
  variables: EnvLine[];
  faults: EnvFault[];
}

const assignment = /^[ \t]*(?:export[ \t]+)?([^\s=#'"]+)[ \t]*=[ \t]*/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/**
 * The variables of a text as `.env` files have them: `KEY=value`, with `export`, comments, and quoted values of several lines. In
 * double quotes `\n` is a new line, in single quotes nothing is. What it does not understand is named with its line and left out.
 */
export function parseEnvText(given: string): EnvText {
  const text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const found: EnvLine[] = [];
  const faults: EnvFault[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at);
    const whole = text.slice(at, end);
    if (/^\s*(?:#|$)/.test(whole)) {
      at = end + 1;
      line += 1;
      continue;
    }
    const begins = assignment.exec(whole);
    const key = begins?.[1];
    if (begins === null || key === undefined) {
      faults.push({ line, message: `is not KEY=value: ${shortened(whole)}` });
      at = end + 1;
      line += 1;
      continue;
    }
    const from = at + begins[0].length;
    const read = readValue(text, from, end);
    if (typeof read === 'string') {
      faults.push({ line, message: `${shortened(key)} ${read}` });
      at = end + 1;
      line += 1;
      continue;
    }
    found.push({ key, value: read.value, line });
    line += lines(text, at, read.end) + 1;
    at = read.end + 1;
  }
  return once(found, faults);
}

/** A value, and the end of its last line; or what is wrong with it. */
function readValue(text: string, from: number, end: number): { value: string; end: number } | string {
  const quote = text[from];
  if (quote !== '"' && quote !== "'" && quote !== '`') {
    const plain = text.slice(from, end);
    // A # belongs to the value unless there is room before it.
    return { value: plain.replace(/(?:^|[ \t])#.*$/, '').trim(), end };
  }
  let value = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === quote) {
      const last = endOfLine(text, at);
      const behind = text.slice(at + 1, last);
      return /^\s*(?:#|$)/.test(behind) ? { value, end: last } : `has text behind its closing quote`;
    }
    const escaped = quote === '"' && char === '\\' ? escapes[text[at + 1] ?? ''] : undefined;
    if (escaped !== undefined) at += 1;
    value += escaped ?? char;
  }
  return 'has a quote that is not closed';
}

/** The last one of a key counts nowhere by itself: which was meant is for a person to say. */
function once(found: readonly EnvLine[], faults: readonly EnvFault[]): EnvText {
  const byKey = Map.groupBy(found, ({ key }) => key);
  const twice = [...byKey.values()].filter((same) => same.length > 1);
  return {
    variables: [...byKey.values()].flatMap((same) => same[0] ?? []),
    faults: [
      ...faults,
      ...twice.map((same) => ({
        line: same[1]?.line ?? 0,
        message: `${shortened(same[0]?.key ?? '')} is there more than once: on lines ${same.map(({ line }) => line).join(', ')}`,
      })),
    ].toSorted((one, other) => one.line - other.line),
  };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function lines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Without its value, which may be secret. */
function shortened(text: string): string {
  const name = text.trim().replace(/=.*$/s, '=…');
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** The text of a variable, so that it is read again as it is. */
export function envTextOf(key: string, value: string): string {
  if (/^[\w@%+:,./-]*$/.test(value)) return `${key}=${value}`;
  return `${key}="${value
    .replace(/[\\"$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`;
}

const secretWords =
  /(?:^|_)(?:SECRET|SECRETS|PASSWORD|PASSWD|PASS|PWD|TOKEN|CREDENTIALS?|PRIVATE|PASSPHRASE|SALT|DSN|AUTH|COOKIE)(?:_|$)|(?:^|_)(?:API|ACCESS|ENCRYPTION|SIGNING|MASTER|ACCOUNT|SSH|APP|LICENSE|SERVICE_ROLE|SECRET|JWT)_?KEY(?:_|$|S)|APIKEY/i;
const secretValues = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i,
  /^(?:gh[pousr]_|github_pat_|sk_live_|sk-|xox[abprs]-|AKIA|glpat-|eyJ[\w-]+\.eyJ)/,
];

/** Whether a variable should be suggested as secret: by the words of its key, or as its value is known to be a credential. */
export function looksSecret(key: string, value: string): boolean {
  if (value === '') return false;
  return secretWords.test(key) || secretValues.some((pattern) => pattern.test(value));
}
