import { isPublicByName } from '../variables/build-time.ts';

/** Variables that the template of a release's source asks for and that nobody has set. */
export interface UnsetVariables {
  /** Of the template. */
  path: string;
  names: string[];
}

/** A release, as far as it says which variables its program needs and has. */
export interface Asking {
  path: string;
  required: readonly string[];
  set: readonly string[];
}

/** So many names stand in a sentence. */
const mostNamed = 5;

/**
 * The variables for want of which a release may have ended. Those that the live one does without, although its source asks for them, are not
 * the reason; those of pages are seen by builds.
 */
export function unsetVariables(release: Asking, live: Asking | undefined): UnsetVariables | undefined {
  const without = new Set(live === undefined ? [] : lacking(live));
  const names = lacking(release).filter((name) => !without.has(name) && !isPublicByName(name));
  return names.length === 0 ? undefined : { path: release.path, names };
}

function lacking({ required, set }: Asking): string[] {
  const there = new Set(set);
  return required.filter((name) => !there.has(name));
}

/** Names in a sentence: `A, B and 3 more`. */
export function namedVariables(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const told = more > 1 ? [...names.slice(0, mostNamed), `${more} more`] : names;
  return told.length < 2 ? told.join() : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}

/** The likely cause of an end at the start, and what to do. */
export function unsetSentence({ path, names }: UnsetVariables): string {
  return `It may lack ${namedVariables(names)}, which ${path} asks for and nobody has set: \`./ballast var set KEY=VALUE\`, then \`./ballast deploy --staged\`.`;
}
