import { hostname, userInfo } from 'node:os';
import type { Author } from '../../db/engine/author.ts';

/** Who acts when a command is typed on the machine that holds the home: the audit log names the user and the host. */
export function machine(): Author {
  const host = hostname();
  return { kind: 'machine', id: host, name: `${userName()}@${host}` };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
