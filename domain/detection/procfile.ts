import { type Source, within } from './source.ts';

/** The line of the process `web` of a folder's Procfile. */
export function webOf(source: Source, folder: string): string | undefined {
  return /^web[ \t]*:[ \t]*(\S.{0,2000})$/m.exec(source.text(within(folder, 'Procfile')))?.[1]?.trim();
}
