import { extname } from 'node:path';
import { ownProgram } from '../../bundle/own-program.ts';

/** The program that serves pages, and its name in the image. */
export function serverProgram(): { path: string; name: string } {
  const path = ownProgram('file-server', new URL('./file-server.ts', import.meta.url));
  return { path, name: `server${extname(path)}` };
}
