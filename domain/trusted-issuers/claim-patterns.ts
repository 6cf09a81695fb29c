/** Patterns for each claim of a token, of which one must match; `*` stands for any characters, also none. */
export type ClaimPatterns = Readonly<Record<string, readonly string[]>>;

/** Whether the whole text is as the pattern says. Takes no longer than pattern times text, whatever they are. */
export function matchesPattern(pattern: string, text: string): boolean {
  let [at, inText] = [0, 0];
  let star = -1;
  let resumeAt = 0;
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resumeAt = inText;
    } else if (at < pattern.length && pattern[at] === text[inText]) {
      at += 1;
      inText += 1;
    } else if (star >= 0) {
      // The last star takes one character more; what it took before it never has to give back.
      resumeAt += 1;
      inText = resumeAt;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** The first claim of the token that is not as the patterns want it, or undefined if all are. */
export function firstMismatch(claims: ClaimPatterns, payload: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(claims).find(([name, patterns]) => {
    const texts = Object.hasOwn(payload, name) ? textsOf(payload[name]) : [];
    return !texts.some((text) => patterns.some((pattern) => matchesPattern(pattern, text)));
  })?.[0];
}

/** The values of a claim as texts: of a list, each of its members. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? [String(one)] : [],
  );
}
