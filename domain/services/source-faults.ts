import { gitUrlFault, repositoryFault } from '../git/address.ts';
import type { ServiceSource } from './settings.ts';

/** What is wrong with a source whose fields are each of their kind. */
export function sourceFaults(source: ServiceSource): { field: keyof ServiceSource; message: string }[] {
  const faults: { field: keyof ServiceSource; message: string }[] = [];
  const note = (field: keyof ServiceSource, message: string | undefined) => {
    if (message !== undefined) faults.push({ field, message });
  };
  if (source.trigger !== undefined && source.kind !== 'git') note('trigger', 'is of a source of git: leave it out');
  if (source.kind === 'image') return faults;
  for (const field of ['context', 'dockerfile'] as const) note(field, pathFault(source[field]));
  if (source.kind !== 'git') return faults;
  const { gitUrl, gitConnectionId, repository } = source;
  if (gitConnectionId === undefined) {
    note('gitUrl', gitUrl === '' ? 'must be there, or gitConnectionId with repository' : gitUrlFault(gitUrl));
    if (repository !== '') note('repository', 'is of a Git connection: give gitConnectionId, or leave it out');
  } else {
    if (gitUrl !== '') note('gitUrl', 'must be left out: the repository of the Git connection is the source');
    note('repository', repository === '' ? 'must be there with gitConnectionId' : repositoryFault(repository));
  }
  return faults;
}

/** A path within the repository or folder. Not its links: those are looked at where it is unpacked. */
export function pathFault(text: string): string | undefined {
  if (text === '') return undefined;
  const inside = !text.startsWith('/') && !text.includes('\\') && !text.split('/').includes('..');
  return inside && !text.startsWith('-') ? undefined : 'must be a path inside of the source, such as apps/web';
}
