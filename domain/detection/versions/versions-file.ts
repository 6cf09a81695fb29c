import { type Source, within } from '../source.ts';

const names: Readonly<Record<string, string>> = { nodejs: 'node', golang: 'go', 'dotnet-core': 'dotnet' };

/** The version that `.tool-versions` of asdf, or `mise.toml`, says of a tool; '' where neither does. */
export function saidVersionOf(source: Source, folder: string, tool: string): { version: string; path: string } {
  const asdf = within(folder, '.tool-versions');
  for (const [, name = '', version = ''] of source.text(asdf).matchAll(/^([\w-]{1,40})[ \t]+v?(\d[\w.-]{0,40})/gm)) {
    if ((names[name] ?? name) === tool) return { version: plain(version), path: asdf };
  }
  for (const file of ['mise.toml', '.mise.toml']) {
    const path = within(folder, file);
    const tools = /^\[tools\][ \t]*\r?\n((?:[^[\n].*\n?|\n){0,200})/m.exec(source.text(path))?.[1] ?? '';
    for (const [, name = '', version = ''] of tools.matchAll(
      /^["']?([\w-]{1,40})["']?[ \t]*=[ \t]*["']v?(\d[\w.-]{0,40})/gm,
    )) {
      if ((names[name] ?? name) === tool) return { version: plain(version), path };
    }
  }
  return { version: '', path: '' };
}

/** Of `1.18.3-otp-27` the first part. */
const plain = (version: string): string => version.replace(/-.*$/, '');
