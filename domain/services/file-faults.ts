import type { ServiceSettings } from './settings.ts';
import { volumesOf } from './volumes.ts';

/** So many files a service may have. */
export const mostFiles = 20;

const visible = /^[\x21-\x7e]+$/;
/** Directories of the system and of the machine, in which a file would take the place of a program, or be none. */
const ofTheSystem = [
  ...['/bin', '/boot', '/dev', '/lib', '/lib32', '/lib64', '/proc', '/run/docker', '/sbin', '/sys'],
  ...['/usr/bin', '/usr/lib', '/usr/lib64', '/usr/sbin'],
];
/** Files that the machine itself puts into every instance. */
const ofTheMachine = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];

/**
 * The fault of a path at which a file is put into instances: absolute, or from the directory that the program works in. It
 * names one file, never a way out of that directory.
 */
export function filePathFault(path: string): string | undefined {
  if (path.length > 1024 || !visible.test(path)) {
    return 'must be a path of up to 1,024 visible characters, such as config/app.yml or /etc/app/app.yml';
  }
  const parts = (path.startsWith('/') ? path.slice(1) : path).split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'must be a plain path: without "." and "..", and without a slash at its end or two in a row';
  }
  const directory = ofTheSystem.find((one) => isWithin(path, one));
  if (directory !== undefined) return `must not lie in ${directory}, which belongs to the system`;
  return ofTheMachine.some((one) => isWithin(path, one)) ? 'is a file that the machine itself provides' : undefined;
}

/** The first reason for which a service cannot have its files, in a sentence; changes were staged one by one. */
export function filesFault({ files, processes }: ServiceSettings): string | undefined {
  const paths: string[] = [];
  for (const { path } of files) {
    const fault = filePathFault(path);
    if (fault !== undefined) return `the path of the file "${path}" ${fault}`;
    const other = paths.find((one) => isWithin(path, one) || isWithin(one, path));
    if (other !== undefined) return `the files "${other}" and "${path}" are in each other's way`;
    for (const process of Object.values(processes)) {
      const volume = volumesOf(process).find(({ mountPath }) => isWithin(path, mountPath) || isWithin(mountPath, path));
      if (volume !== undefined) {
        return `the file "${path}" would lie in the volume "${volume.name}", which is mounted at ${volume.mountPath}`;
      }
    }
    paths.push(path);
  }
  return files.length > mostFiles ? `it has ${files.length} files, and ${mostFiles} are the most` : undefined;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
