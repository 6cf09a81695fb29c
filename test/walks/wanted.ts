/** All that the walk changes of one service: variables, replicas, the command, the image. */
export interface Content {
  variables: Record<string, string>;
  replicas: number;
  command: string;
  tag: string;
  /** The image that the tag meant when it was staged. */
  digest: string;
}

export const nothing: Content = { variables: {}, replicas: 1, command: '', tag: '', digest: '' };

/** A change: of a variable (absent: unset), or of a setting. `at` is the service's number, then what changes. */
export interface Change {
  service: number;
  key: string;
  to: string | undefined;
}

export const places = (changes: ReadonlyMap<string, Change>): Record<string, string | null> =>
  Object.fromEntries([...changes].map(([place, { to }]) => [place, to ?? null]).toSorted());

export function placeOf({ service, key }: Pick<Change, 'service' | 'key'>): string {
  return `${service} ${key}`;
}

/** The content after these changes of its service; `resolved` is what a staged tag means. */
export function changed(
  content: Content,
  service: number,
  changes: ReadonlyMap<string, Change>,
  resolved: string,
): Content {
  const result = { ...content, variables: { ...content.variables } };
  for (const { service: its, key, to } of changes.values()) {
    if (its !== service) continue;
    if (key === 'replicas') result.replicas = Number(to);
    else if (key === 'command') result.command = to ?? '';
    else if (key === 'source') Object.assign(result, { tag: to ?? '', digest: resolved });
    else if (to === undefined) delete result.variables[key];
    else result.variables[key] = to;
  }
  return result;
}

/** The applied value of a change's key. */
export function appliedAt(content: Content, key: string): string | undefined {
  if (key === 'replicas') return String(content.replicas);
  if (key === 'command') return content.command;
  if (key === 'source') return content.tag;
  return content.variables[key];
}

/** The changes of a set that was not approved return; those that were staged meanwhile win. */
export function returned(staged: ReadonlyMap<string, Change>, items: ReadonlyMap<string, Change>): Map<string, Change> {
  return new Map([...items, ...staged]);
}

export function canonicalText({ variables, replicas, command, tag, digest }: Content): string {
  return JSON.stringify([Object.entries(variables).toSorted(), replicas, command, tag, digest]);
}
