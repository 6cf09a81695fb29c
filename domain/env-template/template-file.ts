import { parseEnvTemplate } from './parse.ts';

/** Names of the files that say which variables an application needs, the usual ones first. */
export const templateNames = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.local.example',
  '.example.env',
  'env.example',
  'example.env',
] as const;

/** The template of an application: that of its folder, or else of the whole source. */
export function templateOf(folder: string, isThere: (path: string) => boolean): string | undefined {
  const own = folder === '' ? [] : templateNames.map((name) => `${folder}/${name}`);
  return [...own, ...templateNames].find(isThere);
}

/** Variables without which nothing works, and of which the template has no value that can be used. */
export function requiredIn(text: string): string[] {
  return parseEnvTemplate(text)
    .filter(({ required }) => required)
    .map(({ key }) => key);
}
