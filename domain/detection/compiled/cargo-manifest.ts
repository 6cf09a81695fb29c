import { type Source, upwards, within } from '../source.ts';

/** The part of a Cargo.toml that detection reads. */
export interface CargoManifest {
  path: string;
  name: string;
  defaultRun: string;
  /** Programs that it names itself. */
  bins: readonly string[];
  isWorkspace: boolean;
  /** Of the package, or of all packages of the workspace. */
  rustVersion: string;
  dependencies: ReadonlySet<string>;
}

export function cargoManifestOf(source: Source, folder: string): CargoManifest | undefined {
  const path = within(folder, 'Cargo.toml');
  if (!source.has(path)) return undefined;
  let section = '';
  let [name, defaultRun, rustVersion, isWorkspace] = ['', '', '', false];
  const bins: string[] = [];
  const dependencies = new Set<string>();
  for (const line of source.text(path).split(/\r?\n/)) {
    const header = /^\s*\[{1,2}([^\][]{1,200})\]{1,2}/.exec(line)?.[1]?.trim();
    if (header !== undefined) {
      section = header;
      if (section === 'workspace') isWorkspace = true;
      const named = /^dependencies\.([\w-]+)$/.exec(section)?.[1];
      if (named !== undefined) dependencies.add(named);
      continue;
    }
    const [, key = '', value = ''] = /^\s*([\w.-]{1,200})\s*=\s*(?:["']([\w.-]{1,200})["'])?/.exec(line) ?? [];
    if (section === 'package' && key === 'name') name = value;
    if (section === 'package' && key === 'default-run') defaultRun = value;
    if (/^(?:workspace\.)?package$/.test(section) && key === 'rust-version') rustVersion = value;
    if (section === 'bin' && key === 'name') bins.push(value);
    if (section === 'dependencies' && key !== '') dependencies.add(key.split('.')[0] ?? key);
  }
  return { path, name, defaultRun, bins, isWorkspace, rustVersion, dependencies };
}

/** The workspace above a folder, where its packages are built. */
export function cargoRootOf(source: Source, folder: string): string {
  return upwards(folder).findLast((one) => cargoManifestOf(source, one)?.isWorkspace) ?? folder;
}
