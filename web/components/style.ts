/** Joins class names; what does not apply is left out. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== '').join(' ');
}

/** What a colour may mean; there are no others. */
export type Tone = 'neutral' | 'good' | 'attention' | 'fault' | 'live';
