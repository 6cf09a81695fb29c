/** The scope of the variables that an environment's services share, as people write it. */
export const sharedScope = 'shared';

export interface Written {
  /** As it was written between the braces, without blanks: `db.PASSWORD`. */
  reference: string;
}

/**
 * One to three names with dots between them, in `${{` and `}}`; blanks beside the braces do not count. `$${{` stands for `${{`
 * itself. Whatever else is written stays as it is: braces that do not close, other signs between them.
 */
const pattern = /\$\$\{\{|\$\{\{[ \t]*([\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+){0,2})[ \t]*\}\}/gu;

/** The parts of a value, in their order: text, and references. */
export function partsOf(value: string): (string | Written)[] {
  const parts: (string | Written)[] = [];
  let text = '';
  let at = 0;
  for (const match of value.matchAll(pattern)) {
    text += value.slice(at, match.index);
    at = match.index + match[0].length;
    const [, reference] = match;
    if (reference === undefined) text += '${{';
    else {
      if (text !== '') parts.push(text);
      parts.push({ reference });
      text = '';
    }
  }
  text += value.slice(at);
  return text === '' ? parts : [...parts, text];
}

/** The references of a value, each once; undefined where nothing of it is read, so that it stays as it is. */
export function referencesOf(value: string): string[] | undefined {
  if (!value.includes('${{')) return undefined;
  const parts = partsOf(value);
  if (parts.length === 1 && parts[0] === value) return undefined;
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.reference])))];
}
