/** Joins class names and skips false ones. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== '').join(' ');
}

/** Colours have these meanings and no others. */
export type Tone = 'neutral' | 'good' | 'attention' | 'fault' | 'live';
