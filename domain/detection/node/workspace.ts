import { kept, objectOf, type Source, upwards, within } from '../source.ts';
import { type Manifest, manifestOf } from './manifest.ts';

/** A package.json whose workspaces hold others. */
export interface Workspace {
  folder: string;
  manifest: Manifest | undefined;
  /** Of the packages in it, by their folder. */
  members: ReadonlyMap<string, Manifest>;
}

const mostMembers = 2_000;

/** The workspace that a folder belongs to, or is the root of. */
export function workspaceOf(source: Source, folder: string): Workspace | undefined {
  for (const above of upwards(folder)) {
    const workspace = workspaceAt(source, above);
    if (workspace !== undefined && (above === folder || workspace.members.has(folder))) return workspace;
  }
  return undefined;
}

const workspaceAt = kept((source, folder): Workspace | undefined => {
  const patterns = patternsOf(source, folder);
  if (patterns.length === 0) return undefined;
  return { folder, manifest: manifestOf(source, folder), members: membersOf(source, folder, patterns) };
});

function patternsOf(source: Source, folder: string): string[] {
  const said = manifestOf(source, folder)?.said.workspaces;
  const listed = Array.isArray(said) ? said : objectOf(said)?.packages;
  const ofPackage = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  return [...ofPackage, ...pnpmPatterns(source.text(within(folder, 'pnpm-workspace.yaml')))].slice(0, 100);
}

/** The list below `packages:`, which is all that is needed of the YAML. */
function pnpmPatterns(text: string): string[] {
  const found: string[] = [];
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^packages\s*:/.test(line)) inside = true;
    else if (inside && /^\s*(?:#.*)?$/.test(line)) continue;
    else if (inside) {
      const item = /^\s*-\s*(?:"([^"]*)"|'([^']*)'|([^\s#]+))/.exec(line);
      if (item === null) break;
      found.push(item[1] ?? item[2] ?? item[3] ?? '');
    }
  }
  return found.filter(Boolean);
}

function membersOf(source: Source, root: string, patterns: readonly string[]): Map<string, Manifest> {
  const wanted = patterns.filter((one) => !one.startsWith('!')).map(matcher);
  const unwanted = patterns.filter((one) => one.startsWith('!')).map((one) => matcher(one.slice(1)));
  const members = new Map<string, Manifest>();
  for (const path of source.named('package.json')) {
    if (members.size >= mostMembers) break;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder === root || (root !== '' && !folder.startsWith(`${root}/`))) continue;
    const below = root === '' ? folder : folder.slice(root.length + 1);
    if (!wanted.some((match) => match(below)) || unwanted.some((match) => match(below))) continue;
    const manifest = manifestOf(source, folder);
    if (manifest !== undefined) members.set(folder, manifest);
  }
  return members;
}

/** A pattern of folders: `*` is one name or a part of one, `**` is any number of them. */
function matcher(pattern: string): (folder: string) => boolean {
  const wanted = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/');
  // Beyond what people write: such a pattern costs more than it can find.
  if (wanted.length > 12 || pattern.length > 255 || wanted.filter((one) => one === '**').length > 2) return () => false;
  const names = wanted.map((one) =>
    one === '**'
      ? undefined
      : new RegExp(`^${one.replace(/\*+/g, '*').split('*').slice(0, 3).map(escaped).join('.*')}$`, 's'),
  );
  const matches = (at: number, parts: readonly string[]): boolean => {
    if (at === names.length) return parts.length === 0;
    const name = names[at];
    if (name === undefined) return matches(at + 1, parts) || (parts.length > 0 && matches(at, parts.slice(1)));
    return parts[0] !== undefined && parts[0].length < 256 && name.test(parts[0]) && matches(at + 1, parts.slice(1));
  };
  return (folder) => matches(0, folder.split('/'));
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

/** The packages of a workspace that one needs, each after those that it needs itself; circles end where they began. */
export function neededBy(workspace: Workspace, member: Manifest): Manifest[] {
  const byName = new Map([...workspace.members.values()].map((one) => [one.name, one] as const));
  const seen = new Set([member.folder]);
  const ordered: Manifest[] = [];
  const visit = (one: Manifest): void => {
    for (const name of one.packages) {
      const needed = byName.get(name);
      if (needed === undefined || seen.has(needed.folder)) continue;
      seen.add(needed.folder);
      visit(needed);
      ordered.push(needed);
    }
  };
  visit(member);
  return ordered;
}
