/**
 * At most so many characters of a text, whole code points, the last one an ellipsis if some were left out. They are counted
 * as they are `written`, such as `&` as `&amp;`, and none is cut apart.
 */
export function cut(text: string, most: number, written: (character: string) => string = (one) => one): string {
  const pieces = Array.from(text.toWellFormed(), written);
  // The last character that still leaves room for the ellipsis.
  let kept = 0;
  let length = 0;
  for (const [at, piece] of pieces.entries()) {
    length += [...piece].length;
    if (length < most) kept = at + 1;
  }
  return length <= most ? pieces.join('') : `${pieces.slice(0, kept).join('')}…`;
}
