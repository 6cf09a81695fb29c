const deepest = 32;

/**
 * What an agent reports holds what programs wrote, which can be anything. Text that PostgreSQL cannot hold (a NUL, half
 * of a surrogate pair) is mended and not refused: the rest of the report is true.
 */
export function cleanText(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return isClean(value) ? value : value.replaceAll('\0', '\u{fffd}').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  // The protocol knows nothing that lies so deep, and what nests without end must not exhaust the stack.
  if (depth > deepest) return null;
  if (Array.isArray(value)) return value.map((inner) => cleanText(inner, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(cleanText(key)), cleanText(inner, depth + 1)]),
  );
}

function isClean(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
