import { type EnvLine, looksSecret, parseEnvText } from '../variables/env-text.ts';
import { isOwnSecret } from '../variables/own-secret.ts';

/** A variable of a template such as `.env.example`, and what somebody who fills it in has to know. */
interface EnvTemplateKey {
  key: string;
  comment: string;
  /** The value in the template. */
  example: string;
  /** Nothing works without a value, and the template has none that can be used. */
  required: boolean;
  /** The example stands for a value, such as `your-api-key`. */
  placeholder: boolean;
  secretSuggested: boolean;
  /** Any random text will do, so that nobody needs to think of one. */
  generateSuggested: boolean;
  /** The environment or draft has it already. */
  existing: boolean;
  /** Who gives the value if nobody sets it: platform, project; '' for nobody. */
  providedBy: string;
}

/** Variables that are there already where the template is filled in. */
interface AlreadyThere {
  existing?: ReadonlySet<string>;
  /** Variables that the services of the environment share. */
  shared?: ReadonlySet<string>;
}

export const mostKeys = 1_000;
const longestComment = 500;
/** Of which a comment is taken: longer ones were not written to be read. */
const longestLine = 2_000;
const commented = /^[ \t]*#+[ \t]?(?:export[ \t]+)?([A-Z][A-Z0-9_]{1,255})=(.*)$/;

/** The keys of a template in their order, each once; those that are commented out are optional. Lines of another form are skipped. */
export function parseEnvTemplate(given: string, there: AlreadyThere = {}): EnvTemplateKey[] {
  const text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const lines = text.split('\n');
  const optional = new Set<string>();
  const set = parseEnvText(text).variables.filter(({ key }) => /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(key));
  const known = new Set(set.map(({ key }) => key));
  const inValues = linesOfValues(set);
  const off = lines.flatMap((line, index): EnvLine[] => {
    const [, key = '', rest = ''] = commented.exec(line) ?? [];
    if (key === '' || known.has(key) || inValues.has(index + 1)) return [];
    known.add(key);
    optional.add(key);
    const value = parseEnvText(`${key}=${rest}`).variables[0]?.value ?? '';
    return [{ key, value, line: index + 1 }];
  });
  return [...set, ...off]
    .toSorted((one, other) => one.line - other.line)
    .slice(0, mostKeys)
    .map((one) => described(one, commentOf(lines, one), optional.has(one.key), there));
}

function described({ key, value }: EnvLine, comment: string, off: boolean, there: AlreadyThere): EnvTemplateKey {
  const existing = there.existing?.has(key) === true;
  const providedBy = key === 'PORT' ? 'platform' : there.shared?.has(key) === true ? 'project' : '';
  const placeholder = isPlaceholder(value);
  const isOptional = (off && !/\brequired\b/i.test(comment)) || /\boptional\b|\bnot required\b/i.test(comment);
  const secretSuggested = looksSecret(key, value === '' ? '-' : value);
  return {
    key,
    comment,
    example: value,
    required: !isOptional && providedBy === '' && (value === '' || placeholder),
    placeholder,
    secretSuggested,
    generateSuggested: secretSuggested && (value === '' || placeholder) && isAnyText(key, comment),
    existing,
    providedBy,
  };
}

/** Of values of several lines, the lines behind the first: what looks like a comment there is a part of them. */
function linesOfValues(variables: readonly EnvLine[]): Set<number> {
  const found = new Set<number>();
  for (const { value, line } of variables) {
    const more = value.split('\n').length - 1;
    for (let at = 1; at <= more; at += 1) found.add(line + at);
  }
  return found;
}

/** The comment lines right above a key, and what stands behind its value. */
function commentOf(lines: readonly string[], { line, value }: EnvLine): string {
  const above: string[] = [];
  for (let at = line - 2; at >= 0 && above.length < 20; at -= 1) {
    const said = lines[at] ?? '';
    if (!/^[ \t]*#/.test(said) || commented.test(said)) break;
    above.unshift(said.slice(0, longestLine));
  }
  const own = (lines[line - 1] ?? '').slice(0, longestLine).replace(/^[ \t]*#+[ \t]?/, '');
  const behind = value.includes('\n') ? '' : (/[ \t]#[ \t]*([^#'"`]*)$/.exec(own)?.[1] ?? '');
  const words = [...above, behind].map((said) => said.replace(/^[\s#=*~-]+|[\s#=*~-]+$/g, '')).filter(Boolean);
  const whole = words.join(' ');
  return whole.length > longestComment ? `${whole.slice(0, longestComment)}…` : whole;
}

const placeholders = [
  /^<.*>$|^\[.*\]$|^\{\{?.*\}?\}$/,
  /^(?:x{3,}|\*{3,}|\.{3,}|…|-{3,}|\?+)$/i,
  /^(?:todo|tbd|fixme|changethis|secret|password|token|keyboard cat)$/i,
  /\b(?:your|my)[-_ ]|\b(?:insert|enter|fill|put|paste|add)[-_ ](?:your|the|a|here|me|in)\b/i,
  /\bchange[-_ ]?(?:me|this|it)|\breplace[-_ ]?(?:me|this|with)|\bplace[-_ ]?holder\b|\bgenerate[-_ ]/i,
  /^(?:sk|pk|rk|whsec|re|gh[pousr])_?(?:test|live)?[-_][*x.…]{2,}$/i,
  /x{6,}|\.{3}$|…$/i,
];

function isPlaceholder(value: string): boolean {
  return value.length <= 500 && placeholders.some((pattern) => pattern.test(value.trim()));
}

function isAnyText(key: string, comment: string): boolean {
  if (/openssl rand|\brandom(?:ly)?\b|\bgenerate (?:one|it|a)\b|crypto\.random|uuidgen|generate-secret/i.test(comment))
    return true;
  return isOwnSecret(key);
}

/** Names of the files that say which variables an application needs, the usual ones first. */
export const templateNames = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.local.example',
  '.example.env',
  'env.example',
  'example.env',
] as const;

/** The template of an application: that of its folder, or else of the whole source. */
export function templateOf(folder: string, isThere: (path: string) => boolean): string | undefined {
  const own = folder === '' ? [] : templateNames.map((name) => `${folder}/${name}`);
  return [...own, ...templateNames].find(isThere);
}

/** Variables without which nothing works, and of which the template has no value that can be used. */
export function requiredIn(text: string): string[] {
  return parseEnvTemplate(text)
    .filter(({ required }) => required)
    .map(({ key }) => key);
}
