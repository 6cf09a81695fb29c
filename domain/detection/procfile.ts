import { type Source, within } from './source.ts';

/** The line of the process `web` of a folder's Procfile. */
export function webOf(source: Source, folder: string): string | undefined {
  return /^web[ \t]*:[ \t]*(\S.{0,2000})$/m.exec(source.text(within(folder, 'Procfile')))?.[1]?.trim();
}

/** The line of the process `release`, which Heroku runs before a release goes live. */
export function releaseOf(source: Source, folder: string): string | undefined {
  return /^release[ \t]*:[ \t]*(\S.{0,2000})$/m.exec(source.text(within(folder, 'Procfile')))?.[1]?.trim();
}
