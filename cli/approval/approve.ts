import { command, UsageError } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { breakGlass } from './break-glass.ts';
import { decide } from './decide.ts';

export const approve = command({
  summary: 'Approves a change that is held',
  usage: '[APPROVAL] [--reason TEXT] [--refresh] [--break-glass] [--organization SLUG] [--session-file FILE] [--json]',
  details: `Without an id it is the only approval that waits. Administrators and owners decide, and not about what they have requested
themselves, unless nobody else may. A token decides as the person who created it, whose own changes are those of their other
tokens, too; one that \`./ballast token create\` made stands for who holds the installation. The console shows what would change.

With --break-glass an owner approves in place of somebody else, in an emergency: it takes the id, a reason, and the session of
that owner or a token that \`./ballast token create\` made. All administrators and owners are told, and a stale approval is still
refused. A session is the value of the cookie svc_session of a browser that is signed in, in a file that only you can read.`,
  words: { least: 0, most: 1 },
  options: {
    reason: { type: 'string', value: 'TEXT', what: 'Why, for people who read the history.' },
    refresh: { type: 'boolean', what: 'Compose a stale one anew, as a new approval, and decide nothing yet.' },
    'break-glass': { type: 'boolean', what: 'Approve it in place of somebody else; all admins and owners are told.' },
    organization: {
      type: 'string',
      value: 'SLUG',
      what: 'With a session: the organization, where you are in several.',
    },
    'session-file': {
      type: 'string',
      value: 'FILE',
      what: 'With --break-glass: an owner’s session, or BALLAST_SESSION_FILE.',
    },
    ...restOptions,
  },
  run: async ({ 'break-glass': broken = false, 'session-file': session, organization, ...given }, [id]) => {
    if (broken) return await breakGlass({ ...given, 'session-file': session, organization }, id);
    if (session !== undefined || organization !== undefined) {
      throw new UsageError('--session-file and --organization are for --break-glass: give a token instead.');
    }
    return await decide(given, id, 'approved');
  },
});
