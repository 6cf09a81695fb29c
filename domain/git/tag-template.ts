/** The longest template of tags. */
export const longestTagTemplate = 200;
const mostStars = 5;

/** What is wrong with a template of tags, such as `v*` or `api-v*`; nobody's regular expression is run. */
export function tagTemplateFault(text: string): string | undefined {
  const needs = 'must be a name of tags with * for any text without a slash, such as v* or api-v*';
  if (text === '' || text.length > longestTagTemplate) return `${needs}, with 1 to ${longestTagTemplate} characters`;
  // As git names refs, except for the star.
  if (/[^\p{L}\p{N}._/+@*=%#,!$&()-]/u.test(text))
    return `${needs}; "${oddCharacter(text)}" stands for itself in no tag`;
  if (/^[-/.]|\/$|\.\.|\/\/|\/\.|@\{|\.lock$/.test(text)) return `${needs}; git allows no tag of this form`;
  if (text.split('*').length - 1 > mostStars) return `${needs}; at most ${mostStars} of them`;
  return undefined;
}

function oddCharacter(text: string): string {
  const odd = /[^\p{L}\p{N}._/+@*=%#,!$&()-]/u.exec(text)?.[0] ?? '';
  return /[\p{Cc}\p{Cf}]/u.test(odd) ? 'a control character' : odd;
}

/**
 * Whether a tag is one of those: `*` is any text without a slash, nothing included; all else stands for itself, capitals
 * too. Its time grows with the product of both lengths at most: a star that fails is only lengthened, never tried again.
 */
export function tagMatches(template: string, tag: string): boolean {
  let [at, inTemplate, star, restart] = [0, 0, -1, 0];
  while (at < tag.length) {
    if (template[inTemplate] === '*') {
      [star, restart] = [inTemplate, at];
      inTemplate += 1;
    } else if (inTemplate < template.length && template[inTemplate] === tag[at]) {
      inTemplate += 1;
      at += 1;
    } else if (star >= 0 && tag[restart] !== '/') {
      restart += 1;
      [at, inTemplate] = [restart, star + 1];
    } else return false;
  }
  while (template[inTemplate] === '*') inTemplate += 1;
  return inTemplate === template.length;
}
