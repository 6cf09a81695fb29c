import { word } from '../shell.ts';
import { objectOf, within } from '../source.ts';
import { type Project, plainFolder } from './project.ts';

/** Where the build of an Angular application leaves its files, or what starts its server. */
export function angularSite({ source, folder }: Project): { files?: string; server?: string } | undefined {
  const projects = objectOf(source.object(within(folder, 'angular.json'))?.projects) ?? {};
  for (const [name, one] of Object.entries(projects)) {
    const project = objectOf(one);
    if (project === undefined || (project.projectType ?? 'application') !== 'application' || name.endsWith('-e2e'))
      continue;
    const targets = objectOf(project.architect) ?? objectOf(project.targets);
    const build = objectOf(targets?.build);
    const options = objectOf(build?.options) ?? {};
    const said = options.outputPath;
    const nested = objectOf(said);
    const base = plainFolder(textOf(nested?.base ?? said)) ?? `dist/${name}`;
    // The newer builder leaves a folder for browsers and, if there is a server, one for that.
    const newer = /:application$/.test(textOf(build?.builder) ?? '');
    if (newer && options.ssr !== undefined && options.ssr !== false)
      return { server: `node ${word(`${base}/server/server.mjs`)}` };
    const browser = textOf(nested?.browser) ?? 'browser';
    return { files: newer && browser !== '' ? `${base}/${browser}` : base };
  }
  return { files: 'dist' };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
