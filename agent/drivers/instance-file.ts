import { filePathFault } from '../../domain/services/file-faults.ts';
import { Refusal } from '../program/refusal.ts';
import type { InstanceSpec } from './driver.ts';

/** A file to put into an instance. */
export interface InstanceFile {
  path: string;
  content: string;
  /** The variable that tells the program where it is. */
  told: string;
}

/** The files of an instance with their content. Paths become paths of the machine, so they are checked again. */
export function filesOf({ files = [], environment }: Pick<InstanceSpec, 'files' | 'environment'>): InstanceFile[] {
  return files.map(({ path, variable }) => {
    const fault = filePathFault(path);
    if (fault !== undefined) throw new Refusal(`The path of the file ${JSON.stringify(path)} ${fault}.`);
    const content = environment[variable];
    if (content === undefined) {
      throw new Refusal(`The file ${path} is made of the variable ${variable}, which is not there: set it.`);
    }
    return { path, content, told: `FILE_${variable.toUpperCase()}` };
  });
}
